import type { Observer } from '../observe/observer.js';
import { type ErrorsHeard, errorsHeardFrom, readFrom } from './keyv-shape.js';
import type { Awaitable, LedgerStore } from './ledger-store.js';
import { type Timers, withinLimit } from './time-limit.js';

/** What came of one call. */
export type Called<Value> = { readonly ok: true; readonly value: Value } | { readonly ok: false };

/** As {@link Called}; doubtful when the store reported an error meanwhile, which may have been this call's. */
type Answer =
  | { readonly ok: true; readonly value: unknown; readonly isDoubtful: boolean }
  | { readonly ok: false };

type Operation = 'get' | 'set' | 'delete' | 'update';

/** How calls are made. */
export interface StoreCallsOptions {
  readonly store: LedgerStore;
  /** The longest one call is waited for, in milliseconds. */
  readonly timeoutMs: number;
  readonly timers: Timers;
  readonly observer: Observer;
  /** Called when a call succeeds after one had failed. */
  readonly onRecovered: () => void;
}

/**
 * Calls of a store that never reject, never take longer than the limit, and know a failure however the store hides it: by throwing, by
 * answering `false`, by an `error` event beside a fair answer, or by no answer. One warning when an outage starts, one line when it ends.
 */
export class StoreCalls {
  readonly #options: StoreCallsOptions;
  readonly #heard: ErrorsHeard;
  /** What failed when it was last tried; neither while the store works. */
  readonly #failing = new Set<'reading' | 'writing'>();
  #failedCalls = 0;

  constructor(options: StoreCallsOptions) {
    this.#options = options;
    this.#heard = errorsHeardFrom(options.store);
  }

  /** Whether the store has an atomic update of its own. */
  get canUpdate(): boolean {
    return typeof this.#options.store.update === 'function';
  }

  /** What is stored; `undefined` when there is nothing. */
  async get(key: string): Promise<Called<string | undefined>> {
    const result = await this.#call('get', () => readFrom(this.#options.store, key));
    if (!result.ok) return result;
    const { value, isDoubtful } = result;
    if (typeof value === 'string') return this.#succeeded('get', value);
    if (value !== undefined && value !== null) return this.#failed('get', 'not-text');
    return isDoubtful
      ? this.#failed('get', 'error-event', this.#heard.last)
      : this.#succeeded('get', undefined);
  }

  /** Stores a text. */
  async set(key: string, text: string): Promise<Called<undefined>> {
    return this.#written('set', await this.#call('set', () => this.#options.store.set(key, text)));
  }

  /** Changes what is stored in one step, where {@link StoreCalls.canUpdate}. */
  async update(key: string, change: (stored: string | undefined) => string): Promise<Called<undefined>> {
    return this.#written(
      'update',
      await this.#call('update', () => this.#options.store.update?.(key, change)),
    );
  }

  /** Forgets a key. `false` is Keyv's answer for a key that is not there, too. */
  async delete(key: string): Promise<Called<undefined>> {
    const result = await this.#call('delete', () => this.#options.store.delete(key));
    return this.#written('delete', result.ok && result.value === false ? { ...result, value: true } : result);
  }

  async #call(
    operation: Operation,
    run: () => Awaitable<unknown>,
  ): Promise<
    { readonly ok: true; readonly value: unknown; readonly isDoubtful: boolean } | { readonly ok: false }
  > {
    const { timeoutMs, timers } = this.#options;
    const heardBefore = this.#heard.count;
    // Inside a promise, so that a store which throws at once is like one that rejects.
    const work = new Promise<unknown>((resolve) => {
      resolve(run());
    });
    const result = await withinLimit(work, timeoutMs, timers);
    if (result.ended === 'timed-out') return this.#failed(operation, 'timed-out');
    if (result.ended === 'threw') return this.#failed(operation, 'threw', result.error);
    return { ok: true, value: result.value, isDoubtful: this.#heard.count > heardBefore };
  }

  #written(operation: Operation, result: Answer): Called<undefined> {
    if (!result.ok) return result;
    if (result.value === false) return this.#failed(operation, 'refused');
    return result.isDoubtful
      ? this.#failed(operation, 'error-event', this.#heard.last)
      : this.#succeeded(operation, undefined);
  }

  #succeeded<Value>(operation: Operation, value: Value): Called<Value> {
    // A store that only reads is not well again: the next write says so.
    if (this.#failing.delete(kindOf(operation)) && this.#failing.size === 0) {
      this.#options.observer.emit('info', 'store-recovered', { failedCalls: this.#failedCalls });
      this.#failedCalls = 0;
      this.#options.onRecovered();
    }
    return { ok: true, value };
  }

  #failed(operation: Operation, reason: string, error?: unknown): { readonly ok: false } {
    if (this.#failing.size === 0) {
      const { observer, timeoutMs } = this.#options;
      observer.emit('warn', 'store-failed', { operation, reason, code: codeOf(error), timeoutMs });
    }
    this.#failing.add(kindOf(operation));
    this.#failedCalls += 1;
    return { ok: false };
  }
}

function kindOf(operation: Operation): 'reading' | 'writing' {
  return operation === 'get' ? 'reading' : 'writing';
}

/** The code of a system error. Its message may hold an address with credentials. */
function codeOf(error: unknown): string | undefined {
  const code: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'code') : undefined;
  return typeof code === 'string' ? code : undefined;
}
