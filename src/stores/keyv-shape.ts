import type { Awaitable, LedgerStore } from './ledger-store.js';

/** The errors that a store has reported by an event so far. */
export interface ErrorsHeard {
  readonly count: number;
  readonly last: unknown;
}

const heardFrom = new WeakMap<LedgerStore, ErrorsHeard>();

/**
 * Reads from a store. Keyv 5 answers `undefined` when its adapter rejects a `get`, unless it was made with `throwOnErrors`; its
 * `getRaw` does not hide that.
 *
 * @param store any store
 * @param key as for `get`
 */
export function readFrom(store: LedgerStore, key: string): Awaitable<unknown> {
  const getRaw = methodOf(store, 'getRaw');
  if (!getRaw || !methodOf(store, 'on')) return store.get(key);
  return Promise.resolve(getRaw(key)).then((raw) =>
    typeof raw === 'object' && raw !== null ? Reflect.get(raw, 'value') : raw,
  );
}

/**
 * Hears of the errors that a Keyv, or another emitter, reports by an event alone: its Redis adapter answers a failed `set` with `true`. One
 * listener a store, for as long as the store lives, since many injectors may share it.
 *
 * @param store any store
 * @returns grows with each error; of a store without events it stays at 0
 */
export function errorsHeardFrom(store: LedgerStore): ErrorsHeard {
  const known = heardFrom.get(store);
  if (known) return known;
  const heard = { count: 0, last: undefined as unknown };
  methodOf(store, 'on')?.('error', (error: unknown) => {
    heard.count += 1;
    heard.last = error;
  });
  heardFrom.set(store, heard);
  return heard;
}

function methodOf(store: LedgerStore, name: string): ((...given: unknown[]) => unknown) | undefined {
  const method: unknown = Reflect.get(store, name);
  return typeof method === 'function' ? (...given) => Reflect.apply(method, store, given) : undefined;
}
