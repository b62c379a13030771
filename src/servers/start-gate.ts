import { type Clock, type TimerHandle, unref } from './clock.js';

/** How long a slow server may keep others from starting, in ms. */
const holdMs = 1_000;

/**
 * Lets a bounded number of servers start at a time, so that fifty of them do not starve each other. A place is given back when the
 * attempt ends, or after a second: a server that hangs delays no other.
 */
export class StartGate {
  readonly #clock: Clock;
  #free: number;
  readonly #waiting: Array<() => void> = [];

  constructor(places: number, clock: Clock) {
    this.#free = places;
    this.#clock = clock;
  }

  /**
   * Waits for a place, at most until the signal aborts.
   *
   * @returns a function that gives it back; safe to call again
   */
  async enter(signal: AbortSignal): Promise<() => void> {
    if (signal.aborted) return () => {};
    if (this.#free > 0) this.#free -= 1;
    else if (!(await this.#wait(signal))) return () => {};
    let timer: TimerHandle;
    let isHeld = true;
    const leave = (): void => {
      if (!isHeld) return;
      isHeld = false;
      this.#clock.clearTimeout(timer);
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    };
    timer = this.#clock.setTimeout(leave, holdMs);
    unref(timer);
    return leave;
  }

  /** @returns whether a place was given */
  async #wait(signal: AbortSignal): Promise<boolean> {
    return await new Promise((resolve) => {
      const grant = (): void => {
        signal.removeEventListener('abort', giveUp);
        resolve(true);
      };
      const giveUp = (): void => {
        const index = this.#waiting.indexOf(grant);
        if (index !== -1) this.#waiting.splice(index, 1);
        resolve(false);
      };
      this.#waiting.push(grant);
      signal.addEventListener('abort', giveUp, { once: true });
    });
  }
}
