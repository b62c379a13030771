import type { RankTable } from './rank-table.js';

const none = -1;
const mergesPerSlice = 20_000;
/** Below this a scan for the lowest rank beats a heap. */
const scanLimitBytes = 40;
/** Room for a position in a heap key beside the rank; a piece is never longer, see `maxChunkUnits`. */
const positionRange = 2 ** 22;

/**
 * Byte-pair encoding of one piece of text: again and again the neighbours that form the token of lowest rank are
 * merged, the leftmost first, until none do.
 *
 * @param table the encoding's tokens
 * @param bytes holds the piece from its start on
 * @param length of the piece, in bytes; at least 1, below 2^22
 * @returns a generator that yields in long pieces and returns the number of tokens
 */
export function* countMerged(
  table: RankTable,
  bytes: Uint8Array,
  length: number,
): Generator<undefined, number> {
  return length <= scanLimitBytes
    ? countByScan(table, bytes, length)
    : yield* countByHeap(table, bytes, length);
}

function countByScan(table: RankTable, bytes: Uint8Array, length: number): number {
  // starts[i] is where part i begins; ranks[i] is what parts i and i + 1 form together.
  const starts: number[] = [];
  const ranks: number[] = [];
  for (let i = 0; i <= length; i++) starts.push(i);
  for (let i = 0; i + 2 <= length; i++) ranks.push(table.find(bytes, i, i + 2));
  for (;;) {
    let at = none;
    for (let i = 0; i < ranks.length; i++) {
      if (ranks[i] !== none && (at === none || ranks[i]! < ranks[at]!)) at = i;
    }
    if (at === none) return starts.length - 1;
    starts.splice(at + 1, 1);
    ranks.splice(at, 1);
    if (at < ranks.length) ranks[at] = table.find(bytes, starts[at]!, starts[at + 2]!);
    if (at > 0) ranks[at - 1] = table.find(bytes, starts[at - 1]!, starts[at + 1]!);
  }
}

function* countByHeap(table: RankTable, bytes: Uint8Array, length: number): Generator<undefined, number> {
  // A part is named by its first byte. ranks[i] is what part i forms with the next one; `none` also marks dead parts.
  const next = new Int32Array(length + 1);
  const previous = new Int32Array(length + 1);
  const ranks = new Int32Array(length + 1).fill(none);
  const heap = new Heap(length);
  for (let i = 0; i <= length; i++) {
    next[i] = i + 1;
    previous[i] = i - 1;
    if (i + 2 <= length) {
      const rank = (ranks[i] = table.find(bytes, i, i + 2));
      if (rank !== none) heap.append(rank * positionRange + i);
    }
    if (i % mergesPerSlice === mergesPerSlice - 1) yield;
  }
  heap.order();
  let count = length;
  for (let step = 1; heap.size > 0; step++) {
    const key = heap.take();
    const at = key % positionRange;
    // A key is stale once one of the two parts it spoke of was merged otherwise.
    if (ranks[at] === (key - at) / positionRange) {
      const gone = next[at]!;
      const after = next[gone]!;
      next[at] = after;
      previous[after] = at;
      ranks[gone] = none;
      count--;
      rate(at);
      if (at > 0) rate(previous[at]!);
    }
    if (step % mergesPerSlice === 0) yield;
  }
  return count;

  function rate(part: number): void {
    const neighbour = next[part]!;
    const rank = neighbour < length ? table.find(bytes, part, next[neighbour]!) : none;
    ranks[part] = rank;
    if (rank !== none) heap.add(rank * positionRange + part);
  }
}

/** A binary heap of numbers, the smallest on top. */
class Heap {
  size: number = 0;
  #keys: Float64Array;

  constructor(capacity: number) {
    this.#keys = new Float64Array(capacity);
  }

  /** Adds without ordering; call `order` before the first `take`. */
  append(key: number): void {
    this.#keys[this.size++] = key;
  }

  order(): void {
    for (let i = (this.size >> 1) - 1; i >= 0; i--) this.#sink(i, this.#keys[i]!);
  }

  add(key: number): void {
    if (this.size === this.#keys.length) {
      const wider = new Float64Array(this.#keys.length * 2);
      wider.set(this.#keys);
      this.#keys = wider;
    }
    let at = this.size++;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (this.#keys[parent]! <= key) break;
      this.#keys[at] = this.#keys[parent]!;
      at = parent;
    }
    this.#keys[at] = key;
  }

  take(): number {
    const top = this.#keys[0]!;
    const last = this.#keys[--this.size]!;
    if (this.size > 0) this.#sink(0, last);
    return top;
  }

  #sink(from: number, key: number): void {
    const keys = this.#keys;
    let at = from;
    for (let child = 2 * at + 1; child < this.size; child = 2 * at + 1) {
      if (child + 1 < this.size && keys[child + 1]! < keys[child]!) child++;
      if (keys[child]! >= key) break;
      keys[at] = keys[child]!;
      at = child;
    }
    keys[at] = key;
  }
}
