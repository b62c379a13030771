const rankRange = 1 << 18;
/** The rank is not in the heap. */
const absent = -2;
/** End of a list; at its head: the rank is in the heap, and nothing waits under it any more. */
const nothing = -1;

/**
 * Positions by rank: the lowest rank first, under one rank the leftmost position first. A long piece has far fewer ranks
 * than positions, so the heap holds each rank once and the positions form linked lists in flat arrays. A position waits
 * under one rank at most.
 */
export class RankQueue {
  /** First and last position under each rank, side by side. A list out of order has its last one inverted (`~`). */
  readonly #lists: Int32Array = new Int32Array(2 * rankRange).fill(absent);
  /** A binary heap of ranks, the smallest on top. */
  readonly #heap: number[] = [];
  #next: Int32Array = new Int32Array(0);
  #previous: Int32Array = new Int32Array(0);

  /**
   * Prepares an empty queue for another piece.
   *
   * @param length positions go from 0 to below this
   */
  reset(length: number): void {
    for (const rank of this.#heap) this.#lists[2 * rank] = absent;
    this.#heap.length = 0;
    this.#next = new Int32Array(length);
    this.#previous = new Int32Array(length);
  }

  /** Lets a position wait under a rank; it must not be waiting. */
  add(rank: number, part: number): void {
    const head = this.#lists[2 * rank]!;
    this.#next[part] = nothing;
    if (head < 0) {
      if (head === absent) this.#rise(rank);
      this.#lists[2 * rank] = part;
      this.#previous[part] = nothing;
      this.#lists[2 * rank + 1] = part;
      return;
    }
    const tail = this.#lists[2 * rank + 1]!;
    const last = tail < 0 ? ~tail : tail;
    this.#next[last] = part;
    this.#previous[part] = last;
    this.#lists[2 * rank + 1] = tail < 0 || part < last ? ~part : part;
  }

  /** Takes a position out; it must be waiting under that rank. */
  remove(rank: number, part: number): void {
    const before = this.#previous[part]!;
    const after = this.#next[part]!;
    if (before < 0) this.#lists[2 * rank] = after;
    else this.#next[before] = after;
    if (after >= 0) this.#previous[after] = before;
    else if (before >= 0) this.#lists[2 * rank + 1] = this.#lists[2 * rank + 1]! < 0 ? ~before : before;
  }

  /** Takes out the leftmost position under the lowest rank; -1 when none is left. */
  take(): number {
    while (this.#heap.length > 0) {
      const rank = this.#heap[0]!;
      if (this.#lists[2 * rank]! < 0) {
        this.#lists[2 * rank] = absent;
        this.#sink();
        continue;
      }
      if (this.#lists[2 * rank + 1]! < 0) this.#order(rank);
      const part = this.#lists[2 * rank]!;
      this.remove(rank, part);
      return part;
    }
    return nothing;
  }

  #order(rank: number): void {
    const parts: number[] = [];
    for (let part = this.#lists[2 * rank]!; part >= 0; part = this.#next[part]!) parts.push(part);
    let before = nothing;
    for (const part of Int32Array.from(parts).sort()) {
      this.#previous[part] = before;
      if (before < 0) this.#lists[2 * rank] = part;
      else this.#next[before] = part;
      before = part;
    }
    this.#next[before] = nothing;
    this.#lists[2 * rank + 1] = before;
  }

  #rise(rank: number): void {
    const heap = this.#heap;
    let at = heap.push(rank) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (heap[parent]! <= rank) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = rank;
  }

  /** Drops the top of the heap. */
  #sink(): void {
    const heap = this.#heap;
    const rank = heap.pop()!;
    if (heap.length === 0) return;
    let at = 0;
    for (let child = 1; child < heap.length; child = 2 * at + 1) {
      if (child + 1 < heap.length && heap[child + 1]! < heap[child]!) child++;
      if (heap[child]! >= rank) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = rank;
  }
}
