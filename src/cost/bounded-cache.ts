/** Remembers the entries that were used last. */
export class BoundedCache<T> {
  readonly #entries: Map<string, T> = new Map();
  readonly #limit: number;

  /** @param limit how many entries stay; at least 1 */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The entry of a key, which now counts as used; `undefined` when there is none. */
  get(key: string): T | undefined {
    const value = this.#entries.get(key);
    // While there is room for as many again, nothing goes soon, and the order need not be kept.
    if (value !== undefined && this.#entries.size * 2 > this.#limit) {
      this.#entries.delete(key);
      this.#entries.set(key, value);
    }
    return value;
  }

  /** Sets an entry; the one that was not used for longest goes when there are too many. */
  set(key: string, value: T): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size <= this.#limit) return;
    const { value: oldest } = this.#entries.keys().next();
    if (oldest !== undefined) this.#entries.delete(oldest);
  }
}
