import { digestInk, digestText, type Digest } from '../conversation/digest.js';
import { dataKey } from './data-key.js';
import { isObject } from '../values.js';

/** Keeps digests of different kinds of content apart. */
export const TAG = { text: 1, toolResult: 2, other: 3, answer: 4, user: 5, long: 6 } as const;

/** The digest of an answer without text. */
export const NO_ANSWER: Digest = digestInk('', TAG.answer);

/** Strings longer than this, such as images, are remembered by themselves. */
const LONG_UNITS = 1024;

/** Texts shorter than this are not remembered. */
const SHORT_UNITS = 64;

interface Remembered {
  readonly text: string;
  readonly tag: number;
  readonly digest: Digest;
}

/**
 * Digests of content, remembered by the object that holds it. A memory counts only while the object still holds the
 * same text: hosts edit messages in place.
 */
export class BlockDigests {
  /** Whether what is digested is remembered, and looked for. */
  isRemembering = true;
  readonly #remembered: WeakMap<object, Remembered> = new WeakMap();

  /**
   * @param holder the block or message that holds the text
   * @param text what it holds now
   * @param tag what kind of content it is; see {@link TAG}. An answer counts without its white space, which hosts trim
   */
  of(holder: object, text: string, tag: number): Digest {
    // A short text is digested faster than it is looked up.
    if (!this.isRemembering || text.length < SHORT_UNITS) return digestOf(text, tag);
    const known = this.#remembered.get(holder);
    if (known !== undefined && known.tag === tag && known.text === text) return known.digest;
    const digest = digestOf(text, tag);
    this.#remembered.set(holder, { text, tag, digest });
    return digest;
  }

  /**
   * Digests everything in a block but its cache breakpoints, whatever the order of its keys.
   *
   * @param block plain JSON; what is not, such as a cycle, has the digest of nothing
   */
  ofAll(block: object): Digest {
    return digestText(this.#json(block), TAG.other);
  }

  #json(block: object): string {
    try {
      return JSON.stringify(this.#stable(block));
    } catch {
      return '';
    }
  }

  #stable(value: object): object {
    if (Array.isArray(value))
      return value.map((item: unknown) => (isObject(item) ? this.#stable(item) : item));
    const stable: [string, unknown][] = [];
    for (const [key, held] of Object.entries(value)) {
      if (key === 'cache_control' || key === 'prompt_cache_breakpoint') continue;
      // One by one, bytes would be as many fields.
      if (ArrayBuffer.isView(held)) stable.push([key, { bytes: dataKey(held) }]);
      else if (isObject(held)) stable.push([key, this.#stable(held)]);
      else if (typeof held === 'string' && held.length > LONG_UNITS) {
        stable.push([key, { long: this.of(value, held, TAG.long) }]);
      } else stable.push([key, held]);
    }
    return stable.sort(([left], [right]) => (left < right ? -1 : 1));
  }
}

function digestOf(text: string, tag: number): Digest {
  return tag === TAG.answer ? digestInk(text, tag) : digestText(text, tag);
}
