import { BoundedCache } from './bounded-cache.js';
import type { Figure } from './count.js';
import { loadEncoding, type Encoding } from './encoding.js';
import type { ExactCounter } from './exact-counter.js';
import type { Profile } from './features.js';
import { figureOf, roughFigure } from './figure.js';
import { familyOf } from './model-family.js';
import { O200k } from './o200k.js';
import { pause, runAtOnce, runInSlices } from './pause.js';
import { profileInSteps } from './profile.js';
import { tokenPrefix } from './token-prefix.js';
import { utf8Length } from './utf8.js';

/** No tokenizer makes so many times fewer tokens of a text than the least that was estimated. */
const mostByEstimate = 4;

/** What {@link TokenCounter} can be told. */
export interface TokenCounterOptions {
  /** How many texts stay counted. @default 2000 */
  readonly maxEntries?: number;
  /** Up to how many UTF-16 units a text is counted on the spot. @default 2300 */
  readonly maxDirectUnits?: number;
  /** Brings the encoding. @default {@link loadEncoding}, once for the process */
  readonly loadEncoding?: () => Promise<Encoding>;
  /** Counts blocks exactly, in the background. @default none */
  readonly exact?: ExactCounter | undefined;
}

/** Of how many texts the length in bytes is remembered. */
const MAX_LENGTHS = 1000;

/**
 * Counts tokens of the o200k encoding without ever holding up a request: what takes time (loading the rank table,
 * counting long texts) runs beside it, in slices that let the event loop turn.
 */
export class TokenCounter {
  readonly #maxDirectUnits: number;
  readonly #loadEncoding: (() => Promise<Encoding>) | undefined;
  readonly #profiles: BoundedCache<Profile>;
  readonly #bytes: BoundedCache<number> = new BoundedCache(MAX_LENGTHS);
  readonly #exact: ExactCounter | undefined;
  readonly #warming: Map<string, Promise<void>> = new Map();
  #loading: Promise<void> | undefined;
  #encoding: O200k | undefined;
  #loadError: unknown;
  // One text at a time: slices of many texts in one turn of the loop would add up to the stall they are to prevent.
  #queue: Promise<void> = Promise.resolve();

  constructor(options: TokenCounterOptions = {}) {
    this.#maxDirectUnits = options.maxDirectUnits ?? 2_300;
    this.#profiles = new BoundedCache(options.maxEntries ?? 2_000);
    this.#exact = options.exact;
    this.#loadEncoding = options.loadEncoding;
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
    const profile = this.#profileOf(text, key);
    if (profile !== undefined) return { tokens: profile.tokens, method: 'estimated' };
    return { tokens: roughFigure(utf8Length(text), 'block').tokens, method: 'rough' };
  }

  /**
   * What a text costs a model, without waiting: from its tokens in the o200k encoding, corrected for the model's family.
   *
   * @param text any text
   * @param key identifies the text: a hash of it
   * @param model the request's model; `null` when it names none
   * @param part a `block` is counted exactly in the background, where an exact counter was given; a `section` is not
   * @returns the number of tokens, its band, and how it was made
   */
  figure(text: string, key: string, model: string | null, part: 'block' | 'section' = 'section'): Figure {
    const family = familyOf(model);
    const profile = this.#profileOf(text, key);
    const figure =
      profile === undefined ? roughFigure(this.#bytesOf(text, key), part) : figureOf(profile, family);
    if (this.#exact === undefined || part === 'section' || figure.method === 'counted') return figure;
    const exact = this.#exact.count(text, key, model);
    if (typeof exact !== 'number') return { ...figure, notCounted: exact };
    if (exact * mostByEstimate < figure.low) return { ...figure, notCounted: 'implausible' };
    return {
      tokens: exact,
      method: 'counted',
      low: exact,
      high: exact,
      calibration: null,
      estimated: figure.tokens,
    };
  }

  /** Until the rank table is there, every request asks for the same lengths. */
  #bytesOf(text: string, key: string): number {
    let bytes = this.#bytes.get(key);
    if (bytes === undefined) {
      bytes = utf8Length(text);
      this.#bytes.set(key, bytes);
    }
    return bytes;
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

  /**
   * Finds, off the request path, how much of a text a number of tokens of the o200k encoding holds.
   *
   * @param text any text
   * @param maxTokens at least 0
   * @returns UTF-16 units, as {@link tokenPrefix} gives them; `undefined` when the rank table is missing
   */
  async prefix(text: string, maxTokens: number): Promise<number | undefined> {
    await this.load();
    const encoding = this.#encoding;
    if (encoding === undefined) return undefined;
    const job = this.#queue.then(() => runInSlices(tokenPrefix(encoding, text, maxTokens)));
    this.#queue = job.then(() => undefined);
    return await job;
  }

  async #warm(text: string, key: string): Promise<void> {
    await this.load();
    if (this.#encoding === undefined || this.#profiles.get(key) !== undefined) return;
    await pause();
    this.#profiles.set(key, await runInSlices(profileInSteps(this.#encoding, text)));
  }

  #profileOf(text: string, key: string): Profile | undefined {
    const known = this.#profiles.get(key);
    if (known !== undefined || this.#encoding === undefined) return known;
    if (text.length > this.#maxDirectUnits) {
      void this.warm(text, key);
      return undefined;
    }
    const profile = runAtOnce(profileInSteps(this.#encoding, text));
    this.#profiles.set(key, profile);
    return profile;
  }

  async #load(): Promise<void> {
    try {
      this.#encoding = await (this.#loadEncoding === undefined
        ? sharedO200k()
        : buildO200k(this.#loadEncoding));
    } catch (error) {
      this.#loadError = error;
    }
  }
}

/** One table serves every counter of the process: it takes 7 MB and never changes. */
let shared: Promise<O200k> | undefined;

async function sharedO200k(): Promise<O200k> {
  shared ??= buildO200k(loadEncoding);
  try {
    return await shared;
  } catch (error) {
    // Another counter may have more luck.
    shared = undefined;
    throw error;
  }
}

async function buildO200k(load: () => Promise<Encoding>): Promise<O200k> {
  return await runInSlices(O200k.build(await load()));
}
