import type { Timers } from '../../src/stores/time-limit.js';

/** Timers that run when a test says so. */
export interface ManualTimers extends Timers {
  /** Runs what is due within `ms` from now, in order. */
  advance(ms: number): void;
  /** How many timers are set. */
  readonly pending: number;
}

export function manualTimers(): ManualTimers {
  let now = 0;
  let nextId = 1;
  const timers = new Map<unknown, { readonly at: number; readonly callback: () => void }>();
  const nextDue = (until: number): [unknown, { at: number; callback: () => void }] | undefined =>
    [...timers].filter(([, { at }]) => at <= until).sort(([, a], [, b]) => a.at - b.at)[0];
  return {
    get pending() {
      return timers.size;
    },
    setTimeout: (callback, delayMs) => {
      const id = nextId;
      nextId += 1;
      timers.set(id, { at: now + delayMs, callback });
      return id;
    },
    clearTimeout: (id) => void timers.delete(id),
    advance: (ms) => {
      const until = now + ms;
      for (let due = nextDue(until); due; due = nextDue(until)) {
        const [id, { at, callback }] = due;
        timers.delete(id);
        now = at;
        callback();
      }
      now = until;
    },
  };
}
