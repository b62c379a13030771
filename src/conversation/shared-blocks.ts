import type { LedgerBlock } from './ledger.js';
import type { Said } from './told.js';

/** How many blocks are remembered before those that nobody holds any more are dropped. */
const MAX_REMEMBERED = 4096;

const remembered = new Map<string, WeakRef<LedgerBlock>>();

/**
 * Gives equal blocks one object: thousands of conversations are told the same texts. Nothing is kept alive by it.
 *
 * @param hash the key of the block's text
 * @param block a block
 * @returns an equal block
 */
export function sharedBlock(hash: string, block: LedgerBlock): LedgerBlock {
  const known = remembered.get(hash)?.deref();
  if (known === block) return block;
  if (known?.text === block.text && isSameSaid(known.said, block.said)) return known;
  if (remembered.size >= MAX_REMEMBERED) forgetUnused();
  remembered.set(hash, new WeakRef(block));
  return block;
}

function forgetUnused(): void {
  for (const [hash, block] of remembered) if (block.deref() === undefined) remembered.delete(hash);
  if (remembered.size >= MAX_REMEMBERED) remembered.clear();
}

function isSameSaid(left: Said, right: Said): boolean {
  return (
    isSamePairs(left.added, right.added) &&
    isSamePairs(left.changed, right.changed) &&
    isSameList(left.restored, right.restored) &&
    isSameList(left.removed, right.removed)
  );
}

function isSamePairs(left: Said['added'], right: Said['added']): boolean {
  return left.length === right.length && left.every((pair, at) => isSameList(pair, right[at] ?? []));
}

function isSameList(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((item, at) => item === right[at]);
}
