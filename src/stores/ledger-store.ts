/** A value, now or later. */
export type Awaitable<Value> = Value | PromiseLike<Value>;

/**
 * Where ledgers are kept. The shape is Keyv's, so a `Keyv` instance (and with it Redis, Postgres, SQLite and others) is a
 * `LedgerStore` as it is. Values are JSON text: a string cannot be changed in place by two owners, passes through every
 * serialiser unharmed, and lets a store be a dumb carrier.
 *
 * A method may throw or reject; a store may also be slow. The library bounds the time and reports the failure, and no
 * request fails because of it.
 */
export interface LedgerStore {
  /** @returns what `set` or `update` stored last under `key`; `undefined` or `null` when there is nothing */
  get(key: string): Awaitable<string | null | undefined>;
  /** Stores `value` in place of what was there. @returns anything; exactly `false` counts as a failure */
  set(key: string, value: string): Awaitable<unknown>;
  /** Forgets `key`. @returns anything; an unknown key is no failure */
  delete(key: string): Awaitable<unknown>;
  /**
   * Optional: read, change and write as one step that no other writer, in any process, can come between. Without it two
   * processes that save the same conversation at the same moment can lose one of the two records, which is then announced again.
   *
   * @param key as for `set`
   * @param change gets what is stored, gives what to store; synchronous and pure, and may be called more than once
   * @returns anything; exactly `false` counts as a failure
   */
  update?(key: string, change: (stored: string | undefined) => string): Awaitable<unknown>;
}
