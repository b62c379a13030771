import type { Delta, DeltaSection } from '../render/delta.js';
import { render } from '../render/render.js';
import { diff, type InForce } from './diff.js';
import { EMPTY_DIGEST, type Digest } from './digest.js';
import type { Anchor, Ledger, LedgerBlock, LedgerEntry } from './ledger.js';
import type { CarriedBlock, PlanReason, PlanTools } from './plan-types.js';
import type { AssistantTurn, Placement, UserTurn } from './reading.js';
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
