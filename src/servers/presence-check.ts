import { type Clock, unref } from './clock.js';

/** How long a server may take to answer anything at all, in ms. */
const checkMs = 10_000;

/** What a check works with. */
export interface PresenceCheckParts {
  readonly clock: Clock;
  /** Asks the server for anything at all; any answer will do. */
  readonly ask: (signal: AbortSignal) => Promise<unknown>;
  /** The server is gone: `error` is why asking failed, `undefined` where there was no answer in time. */
  readonly onGone: (error: unknown) => void;
}

/**
 * Finds out whether a server is still there after a request got no answer. That request may have met with a stale socket, or with
 * a tool that takes its time, so it alone proves nothing; no answer to this either does, unless something else was heard meanwhile.
 */
export class PresenceCheck {
  readonly #parts: PresenceCheckParts;
  #isRunning = false;
  #heard = 0;

  constructor(parts: PresenceCheckParts) {
    this.#parts = parts;
  }

  /** Something came from the server. */
  noteHeard(): void {
    this.#heard += 1;
  }

  /** One check at a time; who asks meanwhile shares it. Never rejects. */
  async run(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    const { clock, ask, onGone } = this.#parts;
    const before = this.#heard;
    const limit = new AbortController();
    // Whoever carries the request may be deaf to its signal.
    const late = new Promise<never>((_, reject) => {
      limit.signal.addEventListener('abort', () => reject(new Error('no answer')), { once: true });
    });
    const timer = clock.setTimeout(() => limit.abort(), checkMs);
    unref(timer);
    try {
      await Promise.race([ask(limit.signal), late]);
    } catch (error) {
      if (this.#heard === before) onGone(limit.signal.aborted ? undefined : error);
    } finally {
      clock.clearTimeout(timer);
      this.#isRunning = false;
    }
  }
}
