import type { Clock } from '../../servers/clock.js';

/** How long a call may wait before it is tried again, in ms: the SDK waits a minute at most. */
const KEEP_MS = 120_000;
/** How many calls are remembered: each holds its body twice. */
const MAX_CALLS = 16;

/**
 * Attempts that failed. The SDK sends the same body again, and nothing else says that it is the same call; a host's own second call
 * is told from a retry by the count that the SDK sends along.
 */
export class FailedCalls<Attempt> {
  readonly #calls: Map<string, { readonly attempt: Attempt; readonly failedAt: number }> = new Map();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Remembers an attempt that failed. */
  keep(key: string, attempt: Attempt): void {
    this.#calls.delete(key);
    this.#calls.set(key, { attempt, failedAt: this.#clock.elapsed() });
    for (const oldest of this.#calls.keys()) {
      if (this.#calls.size <= MAX_CALLS) break;
      this.#calls.delete(oldest);
    }
  }

  /**
   * Takes out what is remembered of a call.
   *
   * @returns the attempt that failed last; `undefined` when none did, or too long ago
   */
  take(key: string): Attempt | undefined {
    const call = this.#calls.get(key);
    this.#calls.delete(key);
    return call === undefined || this.#clock.elapsed() - call.failedAt > KEEP_MS ? undefined : call.attempt;
  }
}
