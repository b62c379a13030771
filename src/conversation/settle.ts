import { evict, dropUnusedBlocks } from './ledger-bounds.js';
import type { Anchor, Ledger } from './ledger.js';
import { chainDigest } from './digest.js';
import type { Plan } from './plan-types.js';
import type { AssistantTurn } from './reading.js';

/** What is needed to place a plan in the ledger, once or again. */
export type Recordable = Pick<
  Plan,
  'path' | 'summedUp' | 'delivered' | 'entries' | 'relied' | 'blocks' | 'anchor' | 'chain'
>;

/**
 * Records a plan: from now on its messages carry what it says. An entry that is there already stays as it is; one that the
 * plan relies on and that was discarded meanwhile comes back.
 *
 * @param ledger changed in place
 * @param made a plan made from this ledger
 */
export function record(ledger: Ledger, made: Recordable): void {
  ledger.clock += 1;
  for (const [hash, block] of made.blocks) if (!ledger.blocks.has(hash)) ledger.blocks.set(hash, block);
  for (const [anchor, entry] of [...made.relied, ...made.entries]) {
    if (!ledger.entries.has(anchor)) ledger.entries.set(anchor, { ...entry });
  }
  for (let at = 0; at < made.path.length; at += 1) {
    const entry = ledger.entries.get(made.path[at]!);
    if (entry === undefined) continue;
    entry.used = ledger.clock;
    if (at < made.delivered) entry.committed = true;
  }
  evict(ledger);
}

/**
 * Makes a plan final: it was delivered, and so was everything before it.
 *
 * @param ledger changed in place
 * @param made the recorded plan
 */
export function commit(ledger: Ledger, made: Recordable): void {
  for (const [hash, block] of made.blocks) ledger.blocks.set(hash, block);
  for (const [anchor, entry] of [...made.relied, ...made.entries]) {
    // What was delivered decides, unless another delivery decided before.
    if (ledger.entries.get(anchor)?.committed !== true) {
      ledger.entries.set(anchor, { ...entry, used: ledger.clock });
    }
  }
  for (const anchor of made.path) {
    const entry = ledger.entries.get(anchor);
    if (entry !== undefined) entry.committed = true;
  }
  dropUnusedBlocks(ledger);
}

/**
 * Forgets what a plan added, since it was not delivered. What another plan added is not its to forget: it may have been
 * delivered without a word.
 *
 * @param ledger changed in place
 * @param made the plan
 * @param isKept whether something else still relies on an anchor's record
 */
export function discard(ledger: Ledger, made: Recordable, isKept: (anchor: Anchor) => boolean): void {
  for (const [anchor] of made.entries) {
    const entry = ledger.entries.get(anchor);
    if (entry === undefined || entry.committed || isKept(anchor)) continue;
    ledger.entries.delete(anchor);
  }
  dropUnusedBlocks(ledger);
}

/**
 * The messages whose records a plan relies on and that could still be discarded.
 *
 * @param made the plan
 */
export function reliance(made: Recordable): readonly Anchor[] {
  return [...made.relied, ...made.entries].map(([anchor]) => anchor);
}

/**
 * Files the model's message of a server-held thread, so that a request that goes on from it is known to have been
 * told what its history was told.
 *
 * @param ledger changed in place
 * @param made the plan the message answers
 * @param messageId the id the API gave the message
 * @param answer the message as it was read
 */
export function fileThread(
  ledger: Ledger,
  made: Recordable,
  messageId: string,
  { digest, compacts }: AssistantTurn,
): void {
  const chain = digest === undefined ? made.chain : chainDigest(made.chain, digest);
  const anchor = made.path.at(-1);
  const after = compacts ? anchor : made.path[made.summedUp - 1];
  ledger.threads.delete(messageId);
  ledger.threads.set(messageId, {
    chain: [chain.high, chain.low],
    ...(anchor === undefined ? {} : { anchor }),
    ...(after === undefined ? {} : { after }),
  });
  evict(ledger);
}
