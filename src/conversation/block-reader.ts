import { OPENING_TAG } from '../render/frame.js';
import { recognise } from '../render/recognise.js';
import { renderSection } from '../render/section.js';
import type { Ledger } from './ledger.js';
import type { Said } from './told.js';

/** How many read texts are remembered. */
const MAX_REMEMBERED = 512;

/** Reads blocks that a host stored in its history, and remembers what it read. */
export class BlockReader {
  readonly #hash: (text: string) => string;
  readonly #read: Map<string, Said | undefined> = new Map();

  /** @param hash the key a text is stored under */
  constructor(hash: (text: string) => string) {
    this.#hash = hash;
  }

  /**
   * @param text any text
   * @returns what the block says; `undefined` when the text is not one of our blocks
   */
  said(text: string): Said | undefined {
    if (!text.startsWith(OPENING_TAG)) return undefined;
    if (this.#read.has(text)) return this.#read.get(text);
    const said = this.#readBlock(text);
    if (this.#read.size >= MAX_REMEMBERED) this.#read.clear();
    this.#read.set(text, said);
    return said;
  }

  /** Whether a text is a block of ours: one that the ledger holds, or one that reads back. */
  isBlock(text: string, ledger: Ledger): boolean {
    if (!text.startsWith(OPENING_TAG)) return false;
    return ledger.blocks.get(this.#hash(text))?.text === text || this.said(text) !== undefined;
  }

  #readBlock(text: string): Said | undefined {
    const delta = recognise(text);
    if (delta === undefined) return undefined;
    const hashed = (sections: typeof delta.added): (readonly [string, string])[] =>
      sections.map((section) => [section.id, this.#hash(renderSection(section.id, section.text))]);
    return {
      added: hashed(delta.added),
      changed: hashed(delta.changed),
      restored: delta.restored,
      removed: delta.removed,
    };
  }
}
