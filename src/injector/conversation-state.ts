import { evict } from '../conversation/ledger-bounds.js';
import {
  isNewerLedger,
  ledgerFromData,
  ledgerToData,
  mergeLedger,
  type LedgerData,
} from '../conversation/ledger-data.js';
import { Ledger, type Anchor } from '../conversation/ledger.js';
import type { Observer } from '../observe/observer.js';
import { SettledShares } from './settled-shares.js';

/** How a conversation's ledger is kept outside this process. Reports its own failures; never rejects. */
export interface LedgerKeeper {
  /** @returns `'failed'` when it could not be read, which is not the same as nothing there */
  load(id: string): Promise<LedgerData | undefined | 'failed'>;
  /**
   * @param id the conversation's id
   * @param change makes what is stored from what was stored
   * @returns what is stored now; `undefined` when saving failed
   */
  save(id: string, change: (stored: LedgerData | undefined) => LedgerData): Promise<LedgerData | undefined>;
  forget(id: string): Promise<void>;
}

/** One conversation's ledger and what goes on with it in this process, shared by all handles of its id. */
export class ConversationState {
  readonly id: string;
  /** Tokens sent for instructions so far, in this process. */
  sentTokens: number = 0;
  readonly #keeper: LedgerKeeper | undefined;
  readonly #observer: Observer;
  /** How many calls under way rely on a message's record. Made at need: thousands of conversations are idle. */
  #held: Map<Anchor, number> | undefined;
  /** Made at need, as above. */
  #shares: SettledShares | undefined;
  #ledger: Ledger = new Ledger();
  #loading: Promise<boolean> | undefined;
  /** Whether the store did not answer when it was last read: then nothing is waited for a second time. */
  #isStoreAway = false;
  /** Whether this process has a copy of the ledger, however old. */
  #isKnown = false;
  /** Whether it was said that what is stored cannot be used. */
  #isLossKnown = false;

  /** @param keeper absent when the ledger lives in this process only */
  constructor(id: string, keeper: LedgerKeeper | undefined, observer: Observer) {
    this.id = id;
    this.#keeper = keeper;
    this.#observer = observer;
  }

  /** The room that texts take in this conversation. */
  shares(): SettledShares {
    this.#shares ??= new SettledShares();
    return this.#shares;
  }

  get ledger(): Ledger {
    return this.#ledger;
  }

  /**
   * Brings in what is stored, which another process may have added to since.
   *
   * @returns whether the ledger can be relied on: a failed read counts as long as nothing was read before
   */
  async load(): Promise<boolean> {
    if (this.#keeper === undefined) return true;
    this.#loading ??= this.#load(this.#keeper).finally(() => {
      this.#loading = undefined;
    });
    return await this.#loading;
  }

  /** Takes in a ledger that the host kept. @throws InstructionsError `INVALID_LEDGER` */
  restore(data: unknown): void {
    mergeLedger(this.#ledger, ledgerFromData(data));
    this.#isKnown = true;
  }

  /** Saves what is committed, merged with what other processes saved. Never rejects. */
  async save(): Promise<void> {
    if (this.#keeper === undefined) return;
    const ledger = this.#ledger;
    const saving = this.#keeper.save(this.id, (stored) => {
      // What a later version wrote stays as it is: this one would lose what it cannot read.
      if (isNewerLedger(stored)) return stored;
      const mine = ledgerFromData(ledgerToData(ledger, (entry) => entry.committed));
      if (stored !== undefined) mergeLedger(mine, this.#read(stored));
      evict(mine);
      return ledgerToData(mine);
    });
    if (this.#isStoreAway) return;
    const merged = await saving;
    if (merged !== undefined) this.#merge(ledger, merged);
  }

  /** Drops the ledger, here and where it is kept. */
  async forget(): Promise<void> {
    this.#ledger = new Ledger();
    this.#shares = undefined;
    this.#isKnown = true;
    await this.#keeper?.forget(this.id);
  }

  toJSON(): LedgerData {
    return ledgerToData(this.#ledger);
  }

  /** A call that relies on the records of these messages begins. */
  hold(anchors: readonly Anchor[]): void {
    for (const anchor of anchors) {
      this.#held ??= new Map();
      this.#held.set(anchor, (this.#held.get(anchor) ?? 0) + 1);
    }
  }

  /** Such a call ended. */
  release(anchors: readonly Anchor[]): void {
    for (const anchor of anchors) {
      const left = (this.#held?.get(anchor) ?? 0) - 1;
      if (left > 0) this.#held?.set(anchor, left);
      else this.#held?.delete(anchor);
    }
    if (this.#held?.size === 0) this.#held = undefined;
  }

  isHeld(anchor: Anchor): boolean {
    return this.#held?.has(anchor) === true;
  }

  async #load(keeper: LedgerKeeper): Promise<boolean> {
    const ledger = this.#ledger;
    const stored = await keeper.load(this.id);
    // Forgotten meanwhile: what was read is what is to be forgotten.
    if (ledger !== this.#ledger) return true;
    this.#isStoreAway = stored === 'failed';
    if (stored === 'failed') return this.#isKnown;
    if (stored !== undefined) this.#merge(ledger, stored);
    this.#isKnown = true;
    return true;
  }

  /** Takes in what is stored; says so when another process saved something meanwhile that this one does not know. */
  #merge(ledger: Ledger, stored: LedgerData): void {
    const { entries } = ledger;
    const before = entries.size;
    mergeLedger(ledger, this.#read(stored));
    const gained = entries.size - before;
    if (gained === 0 || !this.#isKnown) return;
    this.#observer.emit('debug', 'ledger-merged', { conversation: this.id, entries: entries.size, gained });
  }

  /** A stored ledger that cannot be used counts as none, loudly, once. */
  #read(data: LedgerData): Ledger {
    try {
      return ledgerFromData(data);
    } catch {
      if (!this.#isLossKnown) {
        this.#observer.emit('warn', 'ledger-lost', {
          conversation: this.id,
          ...(isNewerLedger(data)
            ? { reason: 'newer-version', version: String(data.version) }
            : { reason: 'unusable' }),
        });
      }
      this.#isLossKnown = true;
      return new Ledger();
    }
  }
}
