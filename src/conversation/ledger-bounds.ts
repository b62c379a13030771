import type { Ledger } from './ledger.js';

/** How many entries that the current request does not use are kept. */
export const MAX_IDLE_ENTRIES = 64;
/** How many messages of server-held threads are remembered. */
export const MAX_THREADS = 64;

/**
 * Keeps the ledger bounded. Entries of the current request are never dropped; of the others the newest by last use
 * stay, and of equal ones the deepest go first, so that what stays of a branch is always its beginning.
 *
 * @param ledger changed in place
 */
export function evict(ledger: Ledger): void {
  // Counted first: at nearly every request there is nothing to drop.
  let count = 0;
  for (const { used } of ledger.entries.values()) if (used < ledger.clock) count += 1;
  if (count > MAX_IDLE_ENTRIES) {
    const idle = [...ledger.entries].filter(([, entry]) => entry.used < ledger.clock);
    idle.sort(([, left], [, right]) => left.used - right.used || right.depth - left.depth);
    for (const [anchor] of idle.slice(0, idle.length - MAX_IDLE_ENTRIES)) ledger.entries.delete(anchor);
    dropUnusedBlocks(ledger);
  }
  for (const id of ledger.threads.keys()) {
    if (ledger.threads.size <= MAX_THREADS) break;
    ledger.threads.delete(id);
  }
}

/** Drops the texts that no entry refers to. */
export function dropUnusedBlocks(ledger: Ledger): void {
  const used = new Set<string>();
  for (const entry of ledger.entries.values()) if (entry.block !== undefined) used.add(entry.block);
  for (const hash of ledger.blocks.keys()) if (!used.has(hash)) ledger.blocks.delete(hash);
}
