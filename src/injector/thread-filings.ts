import type { Clock } from '../servers/clock.js';
import type { Outcome, PreparedCall } from './prepared.js';

/** The longest a request waits for the answer it goes on from, in ms. It is nearly always there already. */
const WAIT_MS = 1_000;

/** Reads an answer of the API; `undefined` when it is not a whole one. */
export type ReadAnswer = (onId: (id: string | undefined) => void) => Promise<Outcome['message']>;

interface Filing {
  /** The answer's id, once it is known. */
  id: string | undefined;
  done: Promise<void>;
}

/**
 * Files the answers of server-held threads. A streamed answer is read beside the host, which may send the next request of the thread
 * a moment before its answer is filed.
 */
export class ThreadFilings {
  readonly #filings: Set<Filing> = new Set();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * @param prepared the request that is answered
   * @param read reads the answer, and says its id as soon as that is known; called at once
   * @returns resolves when the request is committed, its answer filed, if it could be read, and both stored; never rejects
   */
  async file(prepared: PreparedCall<unknown>, read: ReadAnswer): Promise<void> {
    let stored: Promise<void> | undefined;
    const filing: Filing = { id: undefined, done: Promise.resolve() };
    this.#filings.add(filing);
    filing.done = read((id) => (filing.id = id))
      .catch(() => undefined)
      .then((message) => {
        // Filed at once; that it is stored is not waited for by the next request.
        stored = prepared.commit(message === undefined ? {} : { message });
        this.#filings.delete(filing);
      });
    await filing.done;
    await stored;
  }

  /**
   * Waits for an answer that may still be on its way, and for no other.
   *
   * @param messageId the answer's id
   * @param isFiled whether it is filed
   */
  async whenFiled(messageId: string, isFiled: () => boolean): Promise<void> {
    if (isFiled() || this.#filings.size === 0) return;
    let timer: unknown;
    const late = new Promise<void>((resolve) => {
      timer = this.#clock.setTimeout(resolve, WAIT_MS);
    });
    const candidates = [...this.#filings].filter(({ id }) => id === undefined || id === messageId);
    const filed = new Promise<void>((resolve) => {
      for (const { done } of candidates) void done.then(() => isFiled() && resolve());
    });
    await Promise.race([late, filed, Promise.all(candidates.map(({ done }) => done))]);
    this.#clock.clearTimeout(timer);
  }
}
