import { type BackoffSettings, type Pause, pauseAfter } from './backoff.js';
import type { FailureKind } from './server-state.js';

/** How many short connections in a row make a crash loop. */
const crashLoopAt = 3;

/** Failures that another attempt in a second would only repeat. */
const lasting: ReadonlySet<FailureKind> = new Set(['version-refused', 'too-large']);

/** Counts what went wrong since the last stable connection. A handshake alone proves nothing and resets nothing. */
export class RetryCount {
  readonly #settings: BackoffSettings;
  #failures = 0;
  #shortConnections = 0;
  #isLasting = false;

  constructor(settings: BackoffSettings) {
    this.#settings = settings;
  }

  /** The number of the attempt that comes next, or is under way; from 1. */
  get attempt(): number {
    return this.#failures + 1;
  }

  /** Whether the server connects and ends again, several times in a row. */
  get isLooping(): boolean {
    return this.#shortConnections >= crashLoopAt;
  }

  /** An attempt failed. */
  noteFailure(kind: FailureKind): void {
    this.#failures += 1;
    this.#isLasting = lasting.has(kind);
    if (kind === 'exited-after-handshake') this.#shortConnections += 1;
  }

  /** A connection ended after `heldMs`. */
  noteLoss(heldMs: number): void {
    if (heldMs >= this.#settings.stableMs) this.reset();
    else this.#shortConnections += 1;
    this.#failures += 1;
    this.#isLasting = false;
  }

  /** A connection held long enough, or the host asked to start afresh. */
  reset(): void {
    this.#failures = 0;
    this.#shortConnections = 0;
    this.#isLasting = false;
  }

  /** How long to wait before the next attempt. */
  pause(random: number): Pause {
    const { fastAttempts } = this.#settings;
    const failures = this.#isLasting
      ? Math.max(this.#failures, fastAttempts + 1)
      : Math.max(1, this.#failures);
    return pauseAfter(failures, this.#settings, random);
  }
}
