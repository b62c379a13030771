import { countMerged } from './byte-pairs.js';
import type { Encoding } from './encoding.js';
import { HashedBytes } from './hashed-bytes.js';
import { runAtOnce } from './pause.js';
import { buildRankTable, type RankTable } from './rank-table.js';
import { isPair, writeUtf8 } from './utf8.js';

/** Told about every piece of a text: where it stands, its number of tokens, and the rank when it is one token, else -1. */
export type PieceVisitor = (start: number, end: number, tokens: number, rank: number) => void;

/** The pattern throws a RangeError in runs of some millions; and a piece must stay under 2^22 bytes. */
const maxChunkUnits = 2 ** 20;
const unitsPerSlice = 30_000;
const smallPieceBytes = 256;

/**
 * Counts tokens of the `o200k_base` encoding: as many as `Tiktoken.encode(text, [], [])` gives, so that special tokens
 * written in a text count as the text they are. Time grows in proportion to the text, whatever is in it. Texts of more than
 * 1,048,576 UTF-16 units are counted in parts of that length, which can add a token or two at each seam.
 */
export class O200k {
  readonly #table: RankTable;
  readonly #pattern: RegExp;

  private constructor(table: RankTable, pattern: RegExp) {
    this.#table = table;
    this.#pattern = pattern;
  }

  /**
   * Prepares a counter.
   *
   * @param encoding the ranks and pattern of the encoding
   * @returns a generator that yields often enough to keep an event loop alive and returns the counter
   */
  static *build(encoding: Encoding): Generator<undefined, O200k> {
    // Setting up the pattern takes some milliseconds; so do its first uses, on each of an engine's two kinds of string.
    const pattern = new RegExp(encoding.pattern, 'uy');
    yield;
    for (const text of ['a', 'a', '\u0100', '\u0100']) {
      pattern.lastIndex = 0;
      pattern.test(text);
      yield;
    }
    return new O200k(yield* buildRankTable(encoding.packedRanks), pattern);
  }

  /**
   * Counts at once.
   *
   * @param text any text
   * @returns the number of tokens
   */
  count(text: string): number {
    return runAtOnce(this.countInSteps(text));
  }

  /**
   * Counts with interruptions.
   *
   * @param text any text
   * @param visit told about each piece in order
   * @returns a generator that yields every few milliseconds of work and returns the number of tokens
   */
  *countInSteps(text: string, visit?: PieceVisitor): Generator<undefined, number> {
    // Another count may run between two steps of this one: nothing that changes is shared, `lastIndex` is always set.
    const pattern = this.#pattern;
    const small = new HashedBytes(smallPieceBytes);
    let tokens = 0;
    let nextPause = unitsPerSlice;
    for (let chunkStart = 0; chunkStart < text.length;) {
      const chunkEnd = chunkBorder(text, chunkStart);
      const chunk = chunkEnd - chunkStart === text.length ? text : text.slice(chunkStart, chunkEnd);
      // Every code point falls under one of the pattern's alternatives, so pieces follow each other without a gap.
      for (let start = 0, end = 0; start < chunk.length; start = end) {
        pattern.lastIndex = start;
        if (!pattern.test(chunk)) break;
        end = pattern.lastIndex;
        const room = (end - start) * 3;
        const piece = room <= smallPieceBytes ? small : new HashedBytes(room);
        const length = writeUtf8(chunk, start, end, piece.bytes);
        piece.seal(length);
        const rank = this.#table.find(piece, 0, length);
        const count = rank >= 0 ? 1 : yield* countMerged(this.#table, piece, length);
        tokens += count;
        visit?.(chunkStart + start, chunkStart + end, count, rank);
        if (chunkStart + end >= nextPause) {
          yield;
          nextPause = chunkStart + end + unitsPerSlice;
        }
      }
      chunkStart = chunkEnd;
    }
    return tokens;
  }
}

function chunkBorder(text: string, start: number): number {
  const end = Math.min(start + maxChunkUnits, text.length);
  return end < text.length && isPair(text, end - 1) ? end - 1 : end;
}
