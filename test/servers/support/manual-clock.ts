import type { Clock, TimerHandle } from '../../../src/servers/clock.js';

/** A clock that stands still until it is told to go on. */
export class ManualClock implements Clock {
  #elapsed = 1_000_000;
  /** By how much the time of day is ahead. */
  #offset = 1_000_000_000;
  readonly #timers: Set<{ readonly at: number; readonly callback: () => void }> = new Set();

  now(): number {
    return this.#elapsed + this.#offset;
  }

  elapsed(): number {
    return this.#elapsed;
  }

  /** Sets the time of day forth, or back, as a system does; nothing else notices. */
  setBy(ms: number): void {
    this.#offset += ms;
  }

  setTimeout(callback: () => void, delayMs: number): TimerHandle {
    const timer = { at: this.#elapsed + delayMs, callback };
    // What is due at once happens without anybody moving the clock.
    if (delayMs <= 0) queueMicrotask(() => this.#timers.delete(timer) && callback());
    this.#timers.add(timer);
    return timer;
  }

  clearTimeout(timer: TimerHandle): void {
    for (const known of this.#timers) if (known === timer) this.#timers.delete(known);
  }

  /** When the next timer is due, from now, in ms. */
  get nextMs(): number | undefined {
    const next = Math.min(...[...this.#timers].map(({ at }) => at));
    return Number.isFinite(next) ? next - this.#elapsed : undefined;
  }

  /** Goes on, and lets what is due happen, in order. */
  advance(ms: number): void {
    const until = this.#elapsed + ms;
    for (;;) {
      const due = [...this.#timers]
        .filter(({ at }) => at <= until)
        .sort((left, right) => left.at - right.at)[0];
      if (due === undefined) break;
      this.#timers.delete(due);
      this.#elapsed = Math.max(this.#elapsed, due.at);
      due.callback();
    }
    this.#elapsed = until;
  }
}
