import type { Clock } from '../servers/clock.js';

/**
 * What requests wait for, though not long: reading a pin file, counting tokens for a limit. Work that did not end in the time one
 * request had for it delays no other request.
 */
export class BackgroundWork {
  readonly #clock: Clock;
  readonly #running: Set<Promise<void>> = new Set();
  /** What a request waited for in vain. */
  readonly #slow: WeakSet<Promise<void>> = new WeakSet();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @param work never rejects */
  add(work: Promise<void>): void {
    const done = work.finally(() => this.#running.delete(done));
    this.#running.add(done);
  }

  /** Whether there is anything worth waiting for. */
  get isBusy(): boolean {
    return this.#awaited().length > 0;
  }

  /** Resolves when what is under way now has ended, well or badly. */
  async whenDone(): Promise<void> {
    await Promise.all(this.#running);
  }

  /**
   * Waits until what is under way has ended, the time is over or the signal aborts.
   *
   * @param waitMs in ms
   * @returns whether it has ended
   */
  async wait(waitMs: number, signal: AbortSignal | undefined): Promise<boolean> {
    const awaited = this.#awaited();
    let timer: unknown;
    let stop = (): void => {};
    const stopped = new Promise<boolean>((resolve) => {
      stop = () => resolve(false);
      timer = this.#clock.setTimeout(() => {
        for (const work of awaited) this.#slow.add(work);
        stop();
      }, waitMs);
    });
    if (signal?.aborted === true) stop();
    signal?.addEventListener('abort', stop, { once: true });
    const ended = await Promise.race([Promise.all(awaited).then(() => true), stopped]);
    this.#clock.clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
    return ended;
  }

  #awaited(): Promise<void>[] {
    return [...this.#running].filter((work) => !this.#slow.has(work));
  }
}
