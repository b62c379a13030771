import { type Clock, type TimerHandle, unref } from './clock.js';
import type { ProcessorTimes } from './processor-times.js';

/** How often those who wait look for a place, in ms. */
const stepMs = 50;
/** After how many looks a slow server gives its place away on a machine that is busy. Looks, as a host that starts many gets to few. */
const maxLooks = 10;
/** From which share of idle time on a machine has power to spare. */
const spareShare = 0.25;

interface Waiter {
  readonly attempt: number;
  readonly grant: () => void;
}

interface Place {
  looks: number;
  readonly leave: () => void;
}

/** Reads what the processors did so far; `undefined` where nothing tells. */
export type ReadTimes = () => ProcessorTimes | undefined;

/**
 * Lets a bounded number of servers start at a time, so that fifty of them do not starve each other. A place is given back when the
 * attempt ends; while others wait, also as soon as the machine is idle, for then whoever has it waits for something else, or hangs;
 * and after half a second in any case.
 */
export class StartGate {
  readonly #clock: Clock;
  readonly #load: () => Promise<ReadTimes>;
  readonly #waiting: Waiter[] = [];
  readonly #held: Set<Place> = new Set();
  #free: number;
  #readTimes: ReadTimes = () => undefined;
  #isLoading = false;
  #before: ProcessorTimes | undefined;
  #timer: TimerHandle;

  /** @param load loads what reads the times, once it is needed */
  constructor(places: number, clock: Clock, load: () => Promise<ReadTimes> = loadTimes) {
    this.#free = places;
    this.#clock = clock;
    this.#load = load;
  }

  /**
   * Waits for a place, at most until the signal aborts.
   *
   * @param attempt attempts since the last stable connection: who failed less comes first
   * @returns a function that gives it back; safe to call again
   */
  async enter(signal: AbortSignal, attempt: number): Promise<() => void> {
    if (signal.aborted) return () => {};
    if (this.#free > 0) this.#free -= 1;
    else if (!(await this.#wait(signal, attempt))) return () => {};
    const place: Place = {
      looks: 0,
      leave: () => {
        if (!this.#held.delete(place)) return;
        const next = this.#waiting.shift();
        if (next === undefined) this.#free += 1;
        else next.grant();
      },
    };
    this.#held.add(place);
    return place.leave;
  }

  /** @returns whether a place was given */
  async #wait(signal: AbortSignal, attempt: number): Promise<boolean> {
    return await new Promise((resolve) => {
      const grant = (): void => {
        signal.removeEventListener('abort', giveUp);
        resolve(true);
      };
      const waiter: Waiter = { attempt, grant };
      const giveUp = (): void => {
        const index = this.#waiting.indexOf(waiter);
        if (index !== -1) this.#waiting.splice(index, 1);
        resolve(false);
      };
      const behind = this.#waiting.findIndex((other) => other.attempt > attempt);
      this.#waiting.splice(behind === -1 ? this.#waiting.length : behind, 0, waiter);
      signal.addEventListener('abort', giveUp, { once: true });
      this.#watch();
    });
  }

  /** Looks from time to time, while somebody waits, who could give a place away. */
  #watch(): void {
    if (this.#timer !== undefined) return;
    if (!this.#isLoading) {
      this.#isLoading = true;
      this.#load().then(
        (read) => {
          this.#readTimes = read;
        },
        () => {},
      );
    }
    this.#before = this.#readTimes();
    const look = (): void => {
      this.#timer = undefined;
      const times = this.#readTimes();
      const isSpare = hasSpare(this.#before, times);
      this.#before = times;
      for (const place of this.#held) {
        place.looks += 1;
        if (isSpare || place.looks >= maxLooks) place.leave();
      }
      if (this.#waiting.length > 0) this.#again(look);
    };
    this.#again(look);
  }

  #again(look: () => void): void {
    this.#timer = this.#clock.setTimeout(look, stepMs);
    unref(this.#timer);
  }
}

function hasSpare(before: ProcessorTimes | undefined, after: ProcessorTimes | undefined): boolean {
  if (before === undefined || after === undefined) return false;
  const total = after.total - before.total;
  return total > 0 && (after.idle - before.idle) / total >= spareShare;
}

async function loadTimes(): Promise<ReadTimes> {
  return (await import('#node/servers/processor-times.js')).readProcessorTimes;
}
