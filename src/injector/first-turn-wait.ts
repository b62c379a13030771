import type { Clock } from '../servers/clock.js';

/** What the wait is for. */
export interface Settling {
  readonly settled: boolean;
  /** Resolves when settled; rejects when the signal aborts first. */
  whenSettled(signal?: AbortSignal): Promise<void>;
}

/**
 * The one wait for servers that are still connecting. It ends a fixed time after connecting started, for all requests
 * at once, and never comes back: a server that is added later is told when it is there.
 */
export class FirstTurnWait {
  readonly #settling: Settling;
  readonly #waitMs: number;
  readonly #clock: Clock;
  #startedAt: number | undefined;
  #shared: Promise<void> | undefined;
  #over = false;

  /** @param waitMs how long, in ms; 0 never waits */
  constructor(settling: Settling, waitMs: number, clock: Clock) {
    this.#settling = settling;
    this.#waitMs = waitMs;
    this.#clock = clock;
  }

  /** Connecting starts; later calls change nothing. */
  start(): void {
    this.#startedAt ??= this.#clock.elapsed();
  }

  /**
   * Waits until every server settled or the time is over, or until the caller's own signal aborts. Never rejects.
   */
  async wait(signal?: AbortSignal): Promise<void> {
    if (this.#over) return;
    const left = (this.#startedAt ?? this.#clock.elapsed()) + this.#waitMs - this.#clock.elapsed();
    if (this.#settling.settled || left <= 0) {
      this.#over = true;
      return;
    }
    this.#shared ??= this.#end(left);
    if (signal === undefined) return await this.#shared;
    if (signal.aborted) return;
    let onAbort = (): void => {};
    const aborted = new Promise<void>((resolve) => {
      onAbort = () => resolve();
    });
    signal.addEventListener('abort', onAbort, { once: true });
    await Promise.race([this.#shared, aborted]);
    signal.removeEventListener('abort', onAbort);
  }

  async #end(leftMs: number): Promise<void> {
    const stop = new AbortController();
    const timer = this.#clock.setTimeout(() => stop.abort(), leftMs);
    try {
      await this.#settling.whenSettled(stop.signal);
    } catch {
      // The time is over; what is missing is reported as pending.
    } finally {
      this.#clock.clearTimeout(timer);
      this.#over = true;
    }
  }
}
