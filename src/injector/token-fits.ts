import { BoundedCache } from '../cost/bounded-cache.js';
import type { TokenCounter } from '../cost/token-counter.js';
import { utf8Length } from '../cost/utf8.js';
import { cap } from '../instructions/cap.js';
import type { BackgroundWork } from './background-work.js';

/** How many answers are remembered. */
const MAX_ANSWERS = 1000;
/** How often it is tried to get under a limit where stepping back to a character's border made a token more. */
const MAX_TRIES = 16;

/**
 * Says how many o200k tokens a text has and how much of it a number of tokens holds, whatever the model. What is not known at once is found
 * out in the background. Where the rank table is missing, a token counts as a byte of UTF-8: there are never more tokens than bytes.
 */
export class TokenFits {
  readonly #counter: TokenCounter;
  readonly #work: BackgroundWork;
  readonly #hash: (text: string) => string;
  readonly #known: BoundedCache<number> = new BoundedCache(MAX_ANSWERS);
  readonly #asked: Set<string> = new Set();

  constructor(counter: TokenCounter, work: BackgroundWork, hash: (text: string) => string) {
    this.#counter = counter;
    this.#work = work;
    this.#hash = hash;
  }

  /** @returns the number of tokens; `undefined` while it is not known */
  count(text: string): number | undefined {
    const key = this.#hash(text);
    return this.#answer(key, () => this.#count(text, key));
  }

  /** @returns how many UTF-16 units of a cleaned text at most `maxTokens` tokens hold, 0 for none; `undefined` while it is not known */
  fit(text: string, maxTokens: number): number | undefined {
    // Most texts are far from their limit, and need no rank table to know it.
    if (utf8Length(text) <= maxTokens) return text.length;
    const key = this.#hash(text);
    return this.#answer(`${key} ${maxTokens}`, () => this.#fit(text, maxTokens));
  }

  #answer(key: string, find: () => Promise<number>): number | undefined {
    const known = this.#known.get(key);
    if (known !== undefined || this.#asked.has(key)) return known;
    this.#asked.add(key);
    const found = find().then(
      (answer) => this.#known.set(key, answer),
      // Asked again at the next request.
      () => undefined,
    );
    this.#work.add(found.finally(() => this.#asked.delete(key)));
    return undefined;
  }

  async #count(text: string, key: string): Promise<number> {
    await this.#counter.warm(text, key);
    if (!this.#counter.ready) return utf8Length(text);
    const { tokens, method } = this.#counter.count(text, key);
    return method === 'rough' ? utf8Length(text) : tokens;
  }

  async #fit(text: string, maxTokens: number): Promise<number> {
    for (let tries = 0; tries < MAX_TRIES && tries < maxTokens; tries += 1) {
      const units = (await this.#counter.prefix(text, maxTokens - tries)) ?? bytePrefix(text, maxTokens);
      if (units >= text.length) return text.length;
      if (units === 0) return 0;
      // Where the cap would cut, so that what is counted is what is shown.
      const { keptChars } = cap(text, units);
      const kept = text.slice(0, keptChars);
      if ((await this.#count(kept, this.#hash(kept))) <= maxTokens) return keptChars;
    }
    return 0;
  }
}

/** How many UTF-16 units a number of UTF-8 bytes holds. */
function bytePrefix(text: string, maxBytes: number): number {
  let bytes = 0;
  let units = 0;
  for (const character of text) {
    bytes += utf8Length(character);
    if (bytes > maxBytes) break;
    units += character.length;
  }
  return units;
}
