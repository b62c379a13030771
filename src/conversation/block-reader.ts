import { looksLikeBlock, recognise } from '../render/recognise.js';
import { renderSection } from '../render/section.js';
import type { Ledger } from './ledger.js';
import { TextMemory } from './text-memory.js';
import type { Said } from './told.js';

type Hash = (text: string) => string;
type Memory = TextMemory<Said | undefined>;

/** One for all conversations of an injector, which are told the same texts. */
const memories = new WeakMap<Hash, Memory>();

function memoryOf(hash: Hash): Memory {
  let memory = memories.get(hash);
  if (memory === undefined) {
    memory = new TextMemory();
    memories.set(hash, memory);
  }
  return memory;
}

/**
 * Reads blocks that a host stored in its history, and remembers what it read. What has not the frame of a block is neither
 * hashed nor remembered: it is the host's, and can be of any size.
 */
export class BlockReader {
  readonly #hash: Hash;
  readonly #memory: Memory;

  /** @param hash the key a text is stored under; readers with the same one share what they remember */
  constructor(hash: Hash) {
    this.#hash = hash;
    this.#memory = memoryOf(hash);
  }

  /**
   * @param text any text
   * @returns what the block says; `undefined` when the text is not one of our blocks
   */
  said(text: string): Said | undefined {
    if (!looksLikeBlock(text)) return undefined;
    return this.#memory.of(text, () => this.#readBlock(text));
  }

  /** Whether a text is a block of ours: one that the ledger holds, or one that reads back. */
  isBlock(text: string, ledger: Ledger): boolean {
    if (!looksLikeBlock(text)) return false;
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
