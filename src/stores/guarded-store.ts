import { reasonOf } from '../errors.js';
import type { Observer } from '../observe/observer.js';
import { systemClock } from '../servers/clock.js';
import { KeyedQueue } from './keyed-queue.js';
import type { LedgerStore } from './ledger-store.js';
import { StoreCalls } from './store-calls.js';
import { storeKey } from './store-key.js';
import { type Timers, withinLimit } from './time-limit.js';

/** What {@link GuardedStore} takes. */
export interface GuardedStoreOptions {
  readonly store: LedgerStore;
  /** The longest a load, a save or a flush may take, in milliseconds. */
  readonly timeoutMs: number;
  readonly observer: Observer;
  /** @default the machine's */
  readonly timers?: Timers | undefined;
}

/** Makes what is stored from what was stored: a merge, so that doing it again adds nothing. May be called more than once. */
export type Change<Data> = (stored: Data | undefined) => Data;

interface Save<Data> {
  readonly id: string;
  /** `undefined` once a later `forget` made it void. */
  change: Change<Data> | undefined;
  readonly result: Promise<Data | undefined>;
}

/** What is still to be written of one conversation. */
interface Unsaved<Data> {
  readonly id: string;
  /** `undefined` when it is only to be deleted. */
  readonly change: Change<Data> | undefined;
  /** Whether what is stored is void, because it could not be deleted. */
  readonly isVoid: boolean;
}

const maxUnsaved = 1_000;

/**
 * Conversations in a store that may fail, hang or lie: nothing here rejects or takes longer than the limit. What could not be saved is
 * tried again when the store answers again, and at {@link GuardedStore.flush}.
 *
 * The store carries plain JSON text and decides nothing; what it gives back is not checked here beyond being JSON.
 */
export class GuardedStore<Data extends object> {
  readonly #calls: StoreCalls;
  readonly #timeoutMs: number;
  readonly #timers: Timers;
  readonly #observer: Observer;
  readonly #queue = new KeyedQueue();
  /** Saves whose turn has not come: a further save of the same conversation takes its place. */
  readonly #waiting = new Map<string, Save<Data>>();
  /** By key, in order of failure. The oldest goes when there are too many. */
  readonly #unsaved = new Map<string, Unsaved<Data>>();

  constructor({ store, timeoutMs, observer, timers = systemClock }: GuardedStoreOptions) {
    this.#timeoutMs = timeoutMs;
    this.#timers = timers;
    this.#observer = observer;
    const onRecovered = (): void => this.#retry();
    this.#calls = new StoreCalls({ store, timeoutMs, timers, observer, onRecovered });
  }

  /**
   * @param id the conversation
   * @returns what is stored; `undefined` when there is nothing; `'failed'` when that could not be found out
   */
  async load(id: string): Promise<Data | undefined | 'failed'> {
    const key = storeKey(id);
    if (this.#unsaved.get(key)?.isVoid) return undefined;
    const got = await this.#calls.get(key);
    return got.ok ? this.#decode(id, got.value) : 'failed';
  }

  /**
   * Reads, changes and writes: in one step where the store has `update`, else one after the other, in which case another process
   * may write in between and one of the two records is lost.
   *
   * @param id the conversation
   * @param change a later one must include what an earlier one of the same conversation would have done
   * @returns what is stored now; `undefined` when saving failed or is still going on when the time is over
   */
  async save(id: string, change: Change<Data>): Promise<Data | undefined> {
    const saved = await withinLimit(this.#enqueue(id, change), this.#timeoutMs, this.#timers);
    if (saved.ended === 'threw') {
      this.#observer.emit('error', 'injection-failed', {
        conversation: id,
        step: 'save',
        reason: reasonOf(saved.error),
      });
    }
    return saved.ended === 'done' ? saved.value : undefined;
  }

  /** Drops what is stored for a conversation. Saves from before that have not started are dropped, too. */
  async forget(id: string): Promise<void> {
    const key = storeKey(id);
    const waiting = this.#waiting.get(key);
    if (waiting) waiting.change = undefined;
    this.#waiting.delete(key);
    const work = this.#queue.run(key, () => this.#delete(id, key));
    await withinLimit(work, this.#timeoutMs, this.#timers);
  }

  /** Waits for what is being saved, and tries once more what could not be. What then is not saved is said in one warning. */
  async flush(): Promise<void> {
    await withinLimit(this.#drain(), this.#timeoutMs, this.#timers);
    const left = new Set([...this.#unsaved.keys(), ...this.#queue.keys()]);
    if (left.size > 0) this.#observer.emit('warn', 'ledger-unsaved', { conversations: left.size });
  }

  #enqueue(id: string, change: Change<Data>): Promise<Data | undefined> {
    const key = storeKey(id);
    const waiting = this.#waiting.get(key);
    if (waiting) {
      waiting.change = change;
      return waiting.result;
    }
    const result = this.#queue.run(key, async () => {
      if (this.#waiting.get(key) === save) this.#waiting.delete(key);
      return save.change && (await this.#write(id, key, save.change));
    });
    const save: Save<Data> = { id, change, result };
    this.#waiting.set(key, save);
    return result;
  }

  async #write(id: string, key: string, change: Change<Data>): Promise<Data | undefined> {
    const isVoid = this.#unsaved.get(key)?.isVoid ?? false;
    let next: Data | undefined;
    let chars = 0;
    const changeText = (stored: string | undefined): string => {
      next = change(isVoid ? undefined : this.#decode(id, stored));
      const text = JSON.stringify(next);
      chars = text.length;
      return text;
    };
    const isSaved = this.#calls.canUpdate
      ? (await this.#calls.update(key, changeText)).ok
      : await this.#readAndWrite(key, changeText);
    if (!isSaved) {
      this.#keepForLater(key, { id, change, isVoid });
      return undefined;
    }
    this.#unsaved.delete(key);
    this.#observer.emit('debug', 'ledger-saved', { conversation: id, chars });
    return next;
  }

  /** Without having read, writing would drop what another process stored. */
  async #readAndWrite(key: string, changeText: (stored: string | undefined) => string): Promise<boolean> {
    const got = await this.#calls.get(key);
    if (!got.ok) return false;
    const text = changeText(got.value);
    return text === got.value || (await this.#calls.set(key, text)).ok;
  }

  async #delete(id: string, key: string): Promise<void> {
    if ((await this.#calls.delete(key)).ok) this.#unsaved.delete(key);
    else this.#keepForLater(key, { id, change: undefined, isVoid: true });
  }

  #keepForLater(key: string, unsaved: Unsaved<Data>): void {
    this.#unsaved.delete(key);
    this.#unsaved.set(key, unsaved);
    for (const oldest of this.#unsaved.keys()) {
      if (this.#unsaved.size <= maxUnsaved) return;
      this.#unsaved.delete(oldest);
    }
  }

  #retry(): void {
    for (const [key, { id, change }] of this.#unsaved) {
      // A save that waits includes what was not saved before.
      if (this.#waiting.has(key)) continue;
      if (change) void this.#enqueue(id, change);
      else void this.#queue.run(key, () => this.#delete(id, key));
    }
  }

  async #drain(): Promise<void> {
    await this.#queue.idle();
    this.#retry();
    await this.#queue.idle();
  }

  #decode(id: string, text: string | undefined): Data | undefined {
    if (text === undefined) return undefined;
    try {
      const data: Data = JSON.parse(text);
      if (typeof data === 'object' && data !== null) return data;
    } catch {
      // Reported below, without the text.
    }
    this.#observer.emit('warn', 'ledger-lost', { conversation: id, reason: 'not-json' });
    return undefined;
  }
}
