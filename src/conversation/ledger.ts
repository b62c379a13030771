import type { Said } from './told.js';

/** Names a user message by everything before it and in it. */
export type Anchor = string;

/** What one user message carries: fixed by the first plan of it. Every field is always there, so that entries stay small. */
export interface LedgerEntry {
  /** The hash of the block that stands in the message; `undefined` when it carries none. */
  readonly block: string | undefined;
  /** When it was last used, in {@link Ledger.clock} ticks. */
  used: number;
  /** The hash of the block that the host had stored in the message when it was planned, after which `block` stands. */
  readonly after: string | undefined;
  /** How many recorded messages come before it. */
  readonly depth: number;
  /** The recorded message before it. */
  readonly previous: Anchor | undefined;
  /** Whether it is known to have been delivered. */
  committed: boolean;
}

/** A block that was told, stored once however many messages carry it. */
export interface LedgerBlock {
  readonly text: string;
  readonly said: Said;
}

/** Where a server-held thread stands after a message of the model. */
export interface LedgerThread {
  /** The history up to and with that message. */
  readonly chain: readonly [high: number, low: number];
  /** The newest recorded user message before it. */
  readonly anchor?: Anchor;
  /** The newest recorded user message that the API summed up, so that the model does not read it any more. */
  readonly after?: Anchor;
}

/** What one conversation has been told, and at which message. {@link ledgerToData} makes it plain data. */
export class Ledger {
  /** Counts the requests that were recorded. */
  clock = 0;
  readonly entries: Map<Anchor, LedgerEntry> = new Map();
  readonly blocks: Map<string, LedgerBlock> = new Map();
  /** By message id, oldest first. */
  readonly threads: Map<string, LedgerThread> = new Map();
}
