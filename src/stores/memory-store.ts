import { notExpected } from '../errors.js';
import { showValue } from '../instructions/show-value.js';
import { isRecord, kindOf } from '../values.js';
import type { LedgerStore } from './ledger-store.js';

/** How {@link memoryStore} is bounded. */
export interface MemoryStoreOptions {
  /** Conversations kept; beyond it the least recently used one goes. A whole number from 1. @default 1000 */
  readonly max?: number | undefined;
}

/**
 * A store in this process's memory, bounded, least recently used first out: for tests, and for injectors of one process that
 * are to share their conversations. One injector alone needs none: it keeps its conversations in memory anyway.
 *
 * @param options see {@link MemoryStoreOptions}
 * @throws InstructionsError `INVALID_OPTION` when `max` is not a whole number from 1
 */
export function memoryStore(options: MemoryStoreOptions = {}): MemoryStore {
  const given: unknown = options;
  if (!isRecord(given))
    throw notExpected('INVALID_OPTION', 'memoryStore: options', 'an object', kindOf(given));
  return new MemoryStore(options.max ?? 1000);
}

/** Ledgers in a bounded map; see {@link memoryStore}. */
export class MemoryStore implements LedgerStore {
  /** In order of last use, the oldest first: a `Map` keeps the order of insertion. */
  readonly #values = new Map<string, string>();
  readonly #max: number;

  /** @param max conversations kept, from 1 */
  constructor(max: number) {
    if (!Number.isInteger(max) || max < 1) {
      throw notExpected('INVALID_OPTION', 'max', 'a whole number from 1', showValue(max));
    }
    this.#max = max;
  }

  /** How many ledgers are kept now. */
  get size(): number {
    return this.#values.size;
  }

  get(key: string): string | undefined {
    const value = this.#values.get(key);
    if (value !== undefined) this.set(key, value);
    return value;
  }

  set(key: string, value: string): void {
    this.#values.delete(key);
    this.#values.set(key, value);
    for (const oldest of this.#values.keys()) {
      if (this.#values.size <= this.#max) return;
      this.#values.delete(oldest);
    }
  }

  delete(key: string): void {
    this.#values.delete(key);
  }

  update(key: string, change: (stored: string | undefined) => string): void {
    this.set(key, change(this.#values.get(key)));
  }
}
