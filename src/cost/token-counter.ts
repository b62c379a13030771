import { BoundedCache } from './bounded-cache.js';
import { loadEncoding, type Encoding } from './encoding.js';
import { O200k } from './o200k.js';
import { pause, runInSlices } from './pause.js';
import { utf8Length } from './utf8.js';

export type { Count, CountMethod } from './count.js';

/** What {@link TokenCounter} can be told. */
export interface TokenCounterOptions {
  /** How many texts stay counted. @default 2000 */
  readonly maxEntries?: number;
  /** Up to how many UTF-16 units a text is counted on the spot. @default 2300 */
  readonly maxDirectUnits?: number;
  /** Brings the encoding. @default {@link loadEncoding} */
  readonly loadEncoding?: () => Promise<Encoding>;
}

/**
 * Counts tokens of the o200k encoding without ever holding up a request: what takes time (loading the rank table,
 * counting long texts) runs beside it, in slices that let the event loop turn.
 */
export class TokenCounter {
  readonly #maxDirectUnits: number;
  readonly #loadEncoding: () => Promise<Encoding>;
  readonly #counted: BoundedCache<number>;
  readonly #warming: Map<string, Promise<void>> = new Map();
  #loading: Promise<void> | undefined;
  #encoding: O200k | undefined;
  #loadError: unknown;
  // One text at a time: slices of many texts in one turn of the loop would add up to the stall they are to prevent.
  #queue: Promise<void> = Promise.resolve();

  constructor(options: TokenCounterOptions = {}) {
    this.#maxDirectUnits = options.maxDirectUnits ?? 2_300;
    this.#counted = new BoundedCache(options.maxEntries ?? 2_000);
    this.#loadEncoding = options.loadEncoding ?? loadEncoding;
  }

  /**
   * Starts loading the rank table, once; about 0.2 s of work in slices of some milliseconds.
   *
   * @returns a promise that is fulfilled when loading ended, also when it failed; see {@link TokenCounter.loadError}
   */
  load(): Promise<void> {
    this.#loading ??= this.#load();
    return this.#loading;
  }

  /** Whether the rank table is there. */
  get ready(): boolean {
    return this.#encoding !== undefined;
  }

  /** Why the rank table could not be loaded; figures then stay rough. `undefined` while all is well. */
  get loadError(): unknown {
    return this.#loadError;
  }

  /**
   * Counts without waiting: exactly for a text that was counted before or is short, once the rank table is there; else
   * UTF-8 bytes / 3, rounded up. A long text is then counted in the background for the next time.
   *
   * @param text any text
   * @param key identifies the text: a hash of it
   * @returns the number of tokens and how it was made
   */
  count(text: string, key: string): { tokens: number; method: 'rough' | 'estimated' } {
    const known = this.#counted.get(key);
    if (known !== undefined) return { tokens: known, method: 'estimated' };
    if (this.#encoding !== undefined) {
      if (text.length <= this.#maxDirectUnits) {
        const tokens = this.#encoding.count(text);
        this.#counted.set(key, tokens);
        return { tokens, method: 'estimated' };
      }
      void this.warm(text, key);
    }
    return { tokens: Math.ceil(utf8Length(text) / 3), method: 'rough' };
  }

  /**
   * Counts ahead, off the request path: loads the rank table if need be, then counts in slices.
   *
   * @param text any text
   * @param key identifies the text: a hash of it
   * @returns a promise that is fulfilled when the text is counted, or cannot be because the rank table is missing
   */
  warm(text: string, key: string): Promise<void> {
    let job = this.#warming.get(key);
    if (job === undefined) {
      job = this.#queue.then(() => this.#warm(text, key)).finally(() => this.#warming.delete(key));
      this.#queue = job;
      this.#warming.set(key, job);
    }
    return job;
  }

  async #warm(text: string, key: string): Promise<void> {
    await this.load();
    if (this.#encoding === undefined || this.#counted.get(key) !== undefined) return;
    await pause();
    this.#counted.set(key, await runInSlices(this.#encoding.countInSteps(text)));
  }

  async #load(): Promise<void> {
    try {
      this.#encoding = await runInSlices(O200k.build(await this.#loadEncoding()));
    } catch (error) {
      this.#loadError = error;
    }
  }
}
