import type { Delta, DeltaSection } from '../render/delta.js';
import { render } from '../render/render.js';
import type { ChainCache } from './chain-cache.js';
import { diff, isEmptyDelta, type InForce } from './diff.js';
import { EMPTY_DIGEST, type Digest } from './digest.js';
import type { Anchor, Ledger, LedgerBlock, LedgerEntry } from './ledger.js';
import type { AssistantTurn, Placement, Reading, UserTurn } from './reading.js';
import { hear, type Said, type SectionHash, type Told } from './told.js';

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
  /** Entries that this plan adds. */
  readonly entries: readonly (readonly [Anchor, LedgerEntry])[];
  /** Blocks that the added entries refer to. */
  readonly blocks: readonly (readonly [hash: string, LedgerBlock])[];
  /** The newest user message's anchor. */
  readonly anchor: Anchor | undefined;
  /** The digest of the history up to and with the newest user message. */
  readonly chain: Digest;
  /** The number of user messages. */
  readonly turn: number;
}

const SILENT: Said = { added: [], changed: [], restored: [], removed: [] };
const EMPTY_DELTA: Delta = { added: [], changed: [], restored: [], removed: [] };

/** Walks one request's history and finds what each of its user messages carries. */
class Walk {
  readonly #ledger: Ledger;
  readonly #tools: PlanTools;
  readonly #inForce: InForce | undefined;

  readonly told: Told = new Map();
  readonly placements: Placement[] = [];
  readonly carried: CarriedBlock[] = [];
  readonly path: Anchor[] = [];
  readonly entries: (readonly [Anchor, LedgerEntry])[] = [];
  readonly blocks: (readonly [string, LedgerBlock])[] = [];
  chain: Digest = EMPTY_DIGEST;
  anchor: Anchor | undefined;
  reason: PlanReason = 'no-news';
  threadUnknown = false;
  unsaid: Delta = EMPTY_DELTA;
  summedUp = 0;
  readonly #lost: Set<string> = new Set();
  #users = 0;

  constructor(ledger: Ledger, inForce: InForce | undefined, tools: PlanTools) {
    this.#ledger = ledger;
    this.#inForce = inForce;
    this.#tools = tools;
  }

  /** Starts where the model's side of a server-held thread stands. */
  resume(messageId: string): void {
    const thread = this.#ledger.threads.get(messageId);
    if (thread === undefined) {
      this.threadUnknown = true;
      return;
    }
    this.chain = { high: thread.chain[0], low: thread.chain[1] };
    // A set, because a ledger from elsewhere could hold a circle.
    const back = new Set<Anchor>();
    for (let anchor = thread.anchor; anchor !== undefined && !back.has(anchor);) {
      if (anchor === thread.after) break;
      const entry = this.#ledger.entries.get(anchor);
      if (entry === undefined) break;
      back.add(anchor);
      anchor = entry.previous;
    }
    this.path.push(...[...back].reverse());
    for (const anchor of this.path) {
      const block = this.#blockOf(this.#ledger.entries.get(anchor));
      if (block !== undefined) hear(this.told, block.said);
    }
  }

  /** Takes in a user message; `resultLater` says that a tool's answer follows in the same run of user messages. */
  visit(turn: UserTurn, position: number, newest: boolean, resultLater: boolean): LedgerEntry | undefined {
    this.chain = this.#tools.chains.chain(position, this.chain, turn.digest);
    const anchor = this.#tools.chains.keyAt(position);
    this.#users += 1;
    this.anchor = anchor;
    for (const text of turn.stored) this.#carry(this.#storedBlock(text), newest);
    const entry = this.#ledger.entries.get(anchor);
    if (entry === undefined) return undefined;
    this.path.push(anchor);
    const block = this.#blockOf(entry);
    if (block !== undefined && !resultLater && !turn.stored.includes(block.text)) {
      this.#place(turn, block, newest);
    }
    return entry;
  }

  /** Takes in an assistant message. */
  skip({ digest, compacts }: AssistantTurn, position: number): void {
    if (digest !== undefined) this.chain = this.#tools.chains.chain(position, this.chain, digest);
    if (!compacts) return;
    // The blocks before it stay where they are, but the API reads its summary in their place.
    for (const id of this.told.keys()) this.#lost.add(id);
    this.told.clear();
    this.carried.length = 0;
    this.summedUp = this.path.length;
  }

  /** What is news after everything visited so far. */
  news(): Delta {
    return this.#inForce === undefined ? EMPTY_DELTA : diff(this.told, this.#inForce);
  }

  /** Plans the newest message: it carries the news, if there is any. */
  plan(turn: UserTurn): void {
    const delta = this.news();
    const text = render(delta);
    if (text === undefined) {
      this.record(turn);
      return;
    }
    this.reason = this.#toldElsewhere(delta) ? 'history-changed' : 'placed';
    const block: LedgerBlock = { text, said: this.#said(delta) };
    this.#place(turn, block, true);
    this.#remember(block);
  }

  /** Fixes that the message just visited carries no block but what the host stored in it. */
  record(turn: UserTurn): void {
    const stored = turn.stored.at(-1);
    this.#remember(stored === undefined ? undefined : this.#storedBlock(stored));
  }

  get turns(): number {
    return this.#users;
  }

  #remember(block: LedgerBlock | undefined): void {
    const anchor = this.anchor;
    if (anchor === undefined) return;
    const entry: LedgerEntry = { used: 0, depth: this.path.length };
    const previous = this.path.at(-1);
    if (previous !== undefined) entry.previous = previous;
    if (block !== undefined) {
      entry.block = this.#tools.hash(block.text);
      this.blocks.push([entry.block, block]);
    }
    this.entries.push([anchor, entry]);
    this.path.push(anchor);
  }

  #place(turn: UserTurn, block: LedgerBlock, newest: boolean): void {
    this.placements.push({ index: turn.index, slot: turn.slot, text: block.text });
    this.#carry(block, newest);
  }

  #carry(block: LedgerBlock, newest: boolean): void {
    hear(this.told, block.said);
    this.carried.push({ text: block.text, said: block.said, newest });
  }

  #blockOf(entry: LedgerEntry | undefined): LedgerBlock | undefined {
    return entry?.block === undefined ? undefined : this.#ledger.blocks.get(entry.block);
  }

  #storedBlock(text: string): LedgerBlock {
    const known = this.#ledger.blocks.get(this.#tools.hash(text));
    if (known?.text === text) return known;
    return { text, said: this.#tools.read(text) ?? SILENT };
  }

  #said(delta: Delta): Said {
    const hashed = (sections: readonly DeltaSection[]): (readonly [string, SectionHash])[] =>
      sections.map(({ id }) => {
        const now = this.#inForce?.get(id);
        return [id, now === undefined || now === 'hold' ? '' : now.hash];
      });
    return {
      added: hashed(delta.added),
      changed: hashed(delta.changed),
      restored: delta.restored,
      removed: delta.removed,
    };
  }

  /** Whether some of the news was already told to a history that this request does not go on. */
  #toldElsewhere(delta: Delta): boolean {
    const ids = new Set([...delta.added, ...delta.changed].map((section) => section.id));
    if (ids.size === 0) return false;
    if ([...ids].some((id) => this.#lost.has(id) && !this.told.has(id))) return true;
    const here = new Set(this.path);
    for (const [anchor, entry] of this.#ledger.entries) {
      if (entry.block === undefined || here.has(anchor)) continue;
      const said = this.#ledger.blocks.get(entry.block)?.said;
      if (said === undefined) continue;
      for (const [id] of said.added) if (ids.has(id) && !this.told.has(id)) return true;
      for (const [id] of said.changed) if (ids.has(id) && !this.told.has(id)) return true;
    }
    return false;
  }
}

/** For every turn, whether a tool's answer follows it before the next assistant message. */
function resultsLater(turns: Reading['turns']): boolean[] {
  const later: boolean[] = Array.from({ length: turns.length }, () => false);
  let seen = false;
  for (let position = turns.length - 1; position >= 0; position -= 1) {
    const turn = turns[position];
    later[position] = seen;
    if (turn?.role === 'assistant') seen = false;
    else if (turn?.answersTool === true) seen = true;
  }
  return later;
}

/**
 * Decides what a request carries. The first plan of a user message fixes it: a message that is recorded gets what
 * the record says, and only the newest one, if it is not recorded yet, is told the news.
 *
 * @param ledger what the conversation was told; not changed
 * @param reading the request's history
 * @param inForce what should apply now; `undefined` when it is not known, so that nothing is news
 * @param tools how blocks are hashed and read
 */
export function plan(ledger: Ledger, reading: Reading, inForce: InForce | undefined, tools: PlanTools): Plan {
  const { turns } = reading;
  const walk = new Walk(ledger, inForce, tools);
  if (reading.continues !== undefined) walk.resume(reading.continues);

  const newest = turns.findLastIndex((turn) => turn.role === 'user');
  const lastAssistant = turns.findLastIndex((turn) => turn.role === 'assistant');
  const trailing = turns.slice(newest + 1);
  const plannable = trailing.every((turn) => turn.role === 'assistant' && turn.textOnly);
  const later = resultsLater(turns);

  for (let position = 0; position < turns.length; position += 1) {
    const turn = turns[position];
    if (turn === undefined) continue;
    if (turn.role === 'assistant') {
      // What follows the newest user message is not before any message, so it is no part of an anchor.
      if (position < newest) walk.skip(turn, position);
      continue;
    }
    const entry = walk.visit(turn, position, position === newest, later[position] === true);
    if (position === newest) finishNewest(walk, turn, entry, plannable);
    else if (entry === undefined && (position > lastAssistant || turn.stored.length > 0)) walk.record(turn);
  }
  if (newest < 0) {
    walk.unsaid = walk.news();
    if (!isEmptyDelta(walk.unsaid)) walk.reason = 'no-place';
  }
  const isNew = walk.reason === 'placed' || walk.reason === 'history-changed';
  if (walk.threadUnknown && isNew) walk.reason = 'thread-unknown';
  return {
    placements: walk.placements,
    carried: walk.carried,
    reason: walk.reason,
    told: walk.told,
    unsaid: walk.unsaid,
    path: walk.path,
    summedUp: walk.summedUp,
    entries: walk.entries,
    blocks: walk.blocks,
    anchor: walk.anchor,
    chain: walk.chain,
    turn: walk.turns,
  };
}

function finishNewest(walk: Walk, turn: UserTurn, entry: LedgerEntry | undefined, plannable: boolean): void {
  if (entry === undefined && plannable && turn.solid) {
    walk.plan(turn);
    return;
  }
  walk.unsaid = walk.news();
  if (!isEmptyDelta(walk.unsaid)) walk.reason = entry === undefined ? 'no-place' : 'turn-already-sent';
  else if (walk.carried.some((block) => block.newest)) walk.reason = 'placed';
}
