import type { Clock, TimerHandle } from './clock.js';

/** One total time for one attempt, and the abort of whoever ordered it, as a single signal. */
export class Deadline {
  readonly #clock: Clock;
  readonly #endsAt: number;
  readonly #controller: AbortController = new AbortController();
  readonly #timer: TimerHandle;
  readonly #parent: AbortSignal;
  #expired = false;

  /**
   * @param clock time and timers
   * @param totalMs the total time from now on
   * @param parent aborts this one, too
   */
  constructor(clock: Clock, totalMs: number, parent: AbortSignal) {
    this.#clock = clock;
    this.#endsAt = clock.elapsed() + totalMs;
    this.#parent = parent;
    this.#timer = clock.setTimeout(() => {
      this.#expired = true;
      this.#controller.abort();
    }, totalMs);
    if (parent.aborted) this.#controller.abort();
    else parent.addEventListener('abort', this.#abort, { once: true });
  }

  readonly #abort = (): void => this.#controller.abort();

  /** Aborts when the time is over or the parent aborts. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Whether the time was over, as against an abort. */
  get expired(): boolean {
    return this.#expired;
  }

  /** What is left, in ms, at least 1. */
  get remainingMs(): number {
    return Math.max(1, this.#endsAt - this.#clock.elapsed());
  }

  /** Ends the timer; the signal stays as it is. */
  clear(): void {
    this.#clock.clearTimeout(this.#timer);
    this.#parent.removeEventListener('abort', this.#abort);
  }

  /**
   * Waits for `work`, at most until the signal aborts. Work that is left behind may fail unheard.
   *
   * @throws whatever `work` throws, or the signal's reason
   */
  async race<Value>(work: Promise<Value>): Promise<Value> {
    const { signal } = this;
    return await new Promise<Value>((resolve, reject) => {
      const abort = (): void => reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
      if (signal.aborted) abort();
      else signal.addEventListener('abort', abort, { once: true });
      work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
    });
  }
}
