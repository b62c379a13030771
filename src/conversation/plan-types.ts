import type { Delta } from '../render/delta.js';
import type { ChainCache } from './chain-cache.js';
import type { Digest } from './digest.js';
import type { Anchor, LedgerBlock, LedgerEntry } from './ledger.js';
import type { Placement } from './reading.js';
import type { Said, Told } from './told.js';

/** Why the newest user message carries what it carries. */
export type PlanReason =
  | 'placed'
  | 'no-news'
  | 'turn-already-sent'
  | 'history-changed'
  | 'no-place'
  | 'thread-unknown';

/** What planning needs beside the history: how a block is hashed and read. Passed in, so that planning stays pure. */
export interface PlanTools {
  /** The key a block's text is stored under. */
  readonly hash: (text: string) => string;
  /** Reads a block that the host stored; `undefined` when the text is not a block. */
  readonly read: (text: string) => Said | undefined;
  /** Remembers the history of the last request, since most of it repeats. */
  readonly chains: ChainCache;
}

/** A block that a request carries. */
export interface CarriedBlock extends LedgerBlock {
  /** Whether it stands in the newest user message. */
  readonly newest: boolean;
}

/** What a request is to carry, and what must be recorded for it. Making one changes nothing. */
export interface Plan {
  readonly placements: readonly Placement[];
  /** The blocks of ours that the model reads in the request, in order, those that the host stored included. */
  readonly carried: readonly CarriedBlock[];
  readonly reason: PlanReason;
  /** What a reader of the request knows in the end. */
  readonly told: Told;
  /** What is news and was not said in this request. */
  readonly unsaid: Delta;
  /** Anchors of the request that are recorded, in order, the new ones included. */
  readonly path: readonly Anchor[];
  /** How many of them the API summed up, so that the model does not read them any more. */
  readonly summedUp: number;
  /** How many of them are known to have been delivered, since an answer follows. */
  readonly delivered: number;
  /** Entries that this plan adds. */
  readonly entries: readonly (readonly [Anchor, LedgerEntry])[];
  /** Entries of other plans that this one's bytes rely on and that could still be discarded. */
  readonly relied: readonly (readonly [Anchor, LedgerEntry])[];
  /** Blocks that the added entries and those relied on refer to. */
  readonly blocks: readonly (readonly [hash: string, LedgerBlock])[];
  /** The newest user message's anchor. */
  readonly anchor: Anchor | undefined;
  /** The digest of the history up to and with the newest user message. */
  readonly chain: Digest;
  /** The number of user messages. */
  readonly turn: number;
}
