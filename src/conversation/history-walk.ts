import type { Delta, DeltaSection } from '../render/delta.js';
import { recognise } from '../render/recognise.js';
import { render } from '../render/render.js';
import { renderSection } from '../render/section.js';
import { diff, type InForce } from './diff.js';
import { EMPTY_DIGEST, type Digest } from './digest.js';
import type { Anchor, Ledger, LedgerBlock, LedgerEntry } from './ledger.js';
import type { Stops } from './lineage.js';
import type { CarriedBlock, PlanReason, PlanTools } from './plan-types.js';
import type { AssistantTurn, Placement, Reading, UserTurn } from './reading.js';
import { sharedBlock } from './shared-blocks.js';
import { hear, type Said, type SectionHash, type Told } from './told.js';

const SILENT: Said = { added: [], changed: [], restored: [], removed: [] };
const EMPTY_DELTA: Delta = { added: [], changed: [], restored: [], removed: [] };

/** Walks one request's history and finds what each of its user messages carries. */
export class HistoryWalk {
  readonly #ledger: Ledger;
  readonly #tools: PlanTools;
  readonly #inForce: InForce | undefined;

  readonly told: Told = new Map();
  readonly placements: Placement[] = [];
  readonly carried: CarriedBlock[] = [];
  readonly path: Anchor[] = [];
  readonly entries: (readonly [Anchor, LedgerEntry])[] = [];
  readonly relied: (readonly [Anchor, LedgerEntry])[] = [];
  readonly blocks: (readonly [string, LedgerBlock])[] = [];
  chain: Digest = EMPTY_DIGEST;
  anchor: Anchor | undefined;
  reason: PlanReason = 'no-news';
  threadUnknown = false;
  unsaid: Delta = EMPTY_DELTA;
  summedUp = 0;
  delivered = 0;
  readonly #lost: Set<string> = new Set();
  /** The number of user messages. */
  turns = 0;

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
      const entry = this.#ledger.entries.get(anchor);
      if (entry === undefined) break;
      back.add(anchor);
      anchor = entry.previous;
    }
    this.path.push(...[...back].reverse());
    for (const [at, anchor] of this.path.entries()) {
      const block = this.#blockOf(this.#ledger.entries.get(anchor));
      if (block !== undefined) hear(this.told, block.said);
      if (anchor === thread.after) this.#sumUp(at + 1);
    }
    this.delivered = this.path.length;
  }

  /**
   * Names the user messages. What follows the newest one is not before any message, so it is no part of a name.
   *
   * @param turns the history
   * @param newest the position of the newest user message
   */
  trace(turns: Reading['turns'], newest: number): Stops {
    const { anchors, chain } = this.#tools.chains.trace(turns, newest + 1, this.chain);
    this.chain = chain;
    const known = this.#ledger.entries;
    const entries = anchors.map((anchor) => (anchor === undefined ? undefined : known.get(anchor)));
    return { anchors, entries };
  }

  /**
   * Takes in a user message.
   *
   * @param turn the message
   * @param anchor its name
   * @param newest whether it is the newest
   */
  visit(turn: UserTurn, anchor: Anchor, newest: boolean): void {
    this.turns += 1;
    this.anchor = anchor;
    for (const text of turn.stored) this.#carry(this.#storedBlock(text), newest);
  }

  /**
   * Takes in the record of the message just visited.
   *
   * @param turn the message
   * @param entry its record
   * @param newest whether it is the newest
   * @param resultLater whether a tool's answer follows in the same run of user messages
   */
  repeat(turn: UserTurn, entry: LedgerEntry, newest: boolean, resultLater: boolean): void {
    const block = this.#blockOf(entry);
    if (this.anchor !== undefined) {
      this.path.push(this.anchor);
      if (!entry.committed) this.#relyOn(this.anchor, entry, block);
    }
    if (block !== undefined && turn.solid && !resultLater && this.#goesOn(entry, block, turn)) {
      this.#place(turn, block, newest);
    }
  }

  /** Whether a recorded block goes after what the host stored: it is not stored itself, nor of another message of the same words. */
  #goesOn(entry: LedgerEntry, block: LedgerBlock, { stored }: UserTurn): boolean {
    const last = stored.at(-1);
    if (last === undefined) return true;
    return !stored.includes(block.text) && entry.after === this.#tools.hash(last);
  }

  /** Takes in an assistant message. */
  skip({ compacts }: AssistantTurn): void {
    this.delivered = this.path.length;
    if (compacts) this.#sumUp(this.path.length);
  }

  #relyOn(anchor: Anchor, entry: LedgerEntry, block: LedgerBlock | undefined): void {
    this.relied.push([anchor, entry]);
    if (entry.block !== undefined && block !== undefined) this.blocks.push([entry.block, block]);
  }

  #sumUp(messages: number): void {
    // The blocks before it stay where they are, but the API reads its summary in their place.
    for (const id of this.told.keys()) this.#lost.add(id);
    this.told.clear();
    this.carried.length = 0;
    this.summedUp = messages;
  }

  /** What is news after everything visited so far. */
  news(): Delta {
    if (this.#inForce === undefined) return EMPTY_DELTA;
    return diff(this.told, this.#inForce, (id, hash) => this.#sectionOf(id, hash));
  }

  #sectionOf(id: string, hash: SectionHash): string | undefined {
    const block = this.carried.findLast(({ said }) =>
      [...said.added, ...said.changed].some(([told, section]) => told === id && section === hash),
    );
    const delta = block === undefined ? undefined : recognise(block.text);
    const section = [...(delta?.added ?? []), ...(delta?.changed ?? [])].find((told) => told.id === id);
    return section === undefined ? undefined : renderSection(id, section.text);
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
    this.#remember(block, turn.stored.at(-1));
  }

  /** Fixes that the message just visited carries no block but what the host stored in it. */
  record(turn: UserTurn): void {
    const stored = turn.stored.at(-1);
    this.#remember(stored === undefined ? undefined : this.#storedBlock(stored));
  }

  #remember(block: LedgerBlock | undefined, after?: string): void {
    const anchor = this.anchor;
    if (anchor === undefined) return;
    const hash = block === undefined ? undefined : this.#tools.hash(block.text);
    if (hash !== undefined && block !== undefined) this.blocks.push([hash, sharedBlock(hash, block)]);
    this.entries.push([
      anchor,
      {
        used: 0,
        depth: this.path.length,
        block: hash,
        after: after === undefined ? undefined : this.#tools.hash(after),
        previous: this.path.at(-1),
        committed: false,
      },
    ]);
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
