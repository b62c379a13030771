import { InstructionsError } from '../errors.js';
import { showText } from '../instructions/show-text.js';
import type { Clock } from './clock.js';
import { Deadline } from './deadline.js';
import type { Link } from './link.js';

type Code = string | URLSearchParams;

/** What an exchange works with. */
export interface CodeExchangeParts {
  /** How long it may take, in ms. */
  readonly totalMs: () => number;
  /** Takes the code, while the server waits for one. */
  readonly finish: () => Link['finishAuth'];
  /** Connects with what the code was exchanged for. */
  readonly connect: () => Promise<void>;
}

/**
 * Exchanges the codes of one server, one after the other. A code that is handed in twice is exchanged once: an authorization server
 * may take a second use for theft, and take back what the first one gave.
 */
export class CodeExchange {
  readonly #id: string;
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  readonly #parts: CodeExchangeParts;
  readonly #running: Map<string, Promise<void>> = new Map();
  #last: Promise<void> = Promise.resolve();

  /** @param signal aborts when the life of the server ends; its reason is what calls reject with */
  constructor(id: string, clock: Clock, signal: AbortSignal, parts: CodeExchangeParts) {
    this.#id = id;
    this.#clock = clock;
    this.#signal = signal;
    this.#parts = parts;
  }

  /**
   * Hands in a code and connects.
   *
   * @throws InstructionsError `NOT_CONNECTED` when the server does not wait for a code, or the exchange takes too long; the reason of
   *   the signal; what the SDK throws when the code is refused
   */
  async run(code: Code): Promise<void> {
    const key = String(code);
    const shared = this.#running.get(key);
    if (shared !== undefined) return await shared;
    const running = this.#last.then(() => this.#exchange(code)).finally(() => this.#running.delete(key));
    this.#running.set(key, running);
    this.#last = running.catch(() => {});
    await running;
  }

  async #exchange(code: Code): Promise<void> {
    this.#signal.throwIfAborted();
    const finish = this.#parts.finish();
    if (finish === undefined)
      throw new InstructionsError('NOT_CONNECTED', `server "${showText(this.#id)}" does not wait for a code`);
    const totalMs = this.#parts.totalMs();
    const deadline = new Deadline(this.#clock, totalMs, this.#signal);
    try {
      await deadline.race(finish(code, deadline.signal));
    } catch (error) {
      // Whatever an abort made of it below, what counts is why.
      if (this.#signal.aborted) throw this.#signal.reason;
      if (!deadline.expired) throw error;
      throw new InstructionsError(
        'NOT_CONNECTED',
        `finishAuth: server "${showText(this.#id)}": expected the code to be exchanged within ${totalMs} ms; it still waits for one`,
        { cause: error },
      );
    } finally {
      deadline.clear();
    }
    await this.#parts.connect();
  }
}
