import type { HashedBytes } from './hashed-bytes.js';
import { RankQueue } from './rank-queue.js';
import type { RankTable } from './rank-table.js';

const none = -1;
const partsPerSlice = 20_000;
/** Up to this length a scan for the lowest rank beats a queue. */
const scanLimitBytes = 40;
/** A queue takes 2 MB; they are used again and again. More than one only when counts are interleaved. */
const spareQueues: RankQueue[] = [];

/**
 * Byte-pair encoding of one piece of text: again and again the neighbours that form the token of lowest rank are
 * merged, the leftmost first, until none do.
 *
 * @param table the encoding's tokens
 * @param piece the piece
 * @param length of the piece, in bytes; at least 1
 * @returns a generator that yields in long pieces and returns the number of tokens
 */
export function* countMerged(
  table: RankTable,
  piece: HashedBytes,
  length: number,
): Generator<undefined, number> {
  return length <= scanLimitBytes
    ? countByScan(table, piece, length)
    : yield* countByQueue(table, piece, length);
}

function countByScan(table: RankTable, piece: HashedBytes, length: number): number {
  // starts[i] is where part i begins; ranks[i] is what parts i and i + 1 form together.
  const starts: number[] = [];
  const ranks: number[] = [];
  for (let i = 0; i <= length; i++) starts.push(i);
  for (let i = 0; i + 2 <= length; i++) ranks.push(table.find(piece, i, i + 2));
  for (;;) {
    let at = none;
    for (let i = 0; i < ranks.length; i++) {
      if (ranks[i] !== none && (at === none || ranks[i]! < ranks[at]!)) at = i;
    }
    if (at === none) return starts.length - 1;
    starts.splice(at + 1, 1);
    ranks.splice(at, 1);
    if (at < ranks.length) ranks[at] = table.find(piece, starts[at]!, starts[at + 2]!);
    if (at > 0) ranks[at - 1] = table.find(piece, starts[at - 1]!, starts[at + 1]!);
  }
}

function* countByQueue(table: RankTable, piece: HashedBytes, length: number): Generator<undefined, number> {
  // A part is named by its first byte. ranks[i] is what part i forms with the next one.
  const next = new Int32Array(length + 1);
  const previous = new Int32Array(length + 1);
  const ranks = new Int32Array(length).fill(none);
  const queue = spareQueues.pop() ?? new RankQueue();
  queue.reset(length);
  for (let i = 0; i < length; i++) {
    next[i] = i + 1;
    previous[i] = i - 1;
    if (i + 2 <= length) rate(i, i + 2);
    if (i % partsPerSlice === partsPerSlice - 1) yield;
  }
  let count = length;
  for (let at = queue.take(); at >= 0; at = queue.take()) {
    ranks[at] = none;
    const gone = next[at]!;
    const after = next[gone]!;
    next[at] = after;
    previous[after] = at;
    if (ranks[gone] !== none) queue.remove(ranks[gone]!, gone);
    // The one before goes first: positions then mostly queue up in order, which saves sorting them.
    if (at > 0) rate(previous[at]!, after);
    if (after < length) rate(at, next[after]!);
    count--;
    if (count % partsPerSlice === 0) yield;
  }
  spareQueues.push(queue);
  return count;

  function rate(part: number, end: number): void {
    const before = ranks[part]!;
    const rank = table.find(piece, part, end);
    if (rank === before) return;
    if (before !== none) queue.remove(before, part);
    if (rank !== none) queue.add(rank, part);
    ranks[part] = rank;
  }
}
