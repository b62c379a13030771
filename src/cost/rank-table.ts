// Cut by count, not by a clock: on some edge runtimes the clock stands still while code runs.
const tokensPerSlice = 3_000;
const slotCount = 1 << 19;
const empty = -1;

/**
 * The tokens of an encoding, found by their bytes. A hash table over flat arrays: a `Map` of 200,000 strings takes
 * several times the memory and stops the event loop for over 20 ms whenever it grows.
 */
export class RankTable {
  /** Length of the longest token, in bytes. */
  readonly longest: number;
  readonly #bytes: Uint8Array;
  readonly #ends: Uint32Array;
  readonly #slots: Int32Array;

  /** Made by {@link buildRankTable}; `ends[rank]` is where the bytes of that token end and the next token's start. */
  constructor(bytes: Uint8Array, ends: Uint32Array, slots: Int32Array, longest: number) {
    this.#bytes = bytes;
    this.#ends = ends;
    this.#slots = slots;
    this.longest = longest;
  }

  /**
   * Looks a token up.
   *
   * @param bytes where the token may stand
   * @param start its first byte
   * @param end the byte after its last
   * @returns its rank, which is also its number in the encoding; -1 when these bytes are no token
   */
  find(bytes: Uint8Array, start: number, end: number): number {
    if (end - start > this.longest) return empty;
    let slot = hash(bytes, start, end);
    for (;;) {
      const rank = this.#slots[slot]!;
      if (rank === empty || this.#holds(rank, bytes, start, end)) return rank;
      slot = (slot + 1) % slotCount;
    }
  }

  #holds(rank: number, bytes: Uint8Array, start: number, end: number): boolean {
    const from = rank === 0 ? 0 : this.#ends[rank - 1]!;
    if (this.#ends[rank]! - from !== end - start) return false;
    for (let i = start; i < end; i++) if (bytes[i] !== this.#bytes[from + i - start]) return false;
    return true;
  }
}

/**
 * Builds the table from the packed form that js-tiktoken ships: one line `! 0 TOKEN TOKEN ...`, each token in base64,
 * in the order of their ranks.
 *
 * @param packed the packed ranks
 * @returns a generator that yields every few thousand tokens and returns the table
 */
export function* buildRankTable(packed: string): Generator<undefined, RankTable> {
  // Upper limits: a token takes four base64 digits and a space at least.
  const bytes = new Uint8Array((packed.length / 4) * 3);
  const ends = new Uint32Array(packed.length / 5 + 1);
  const slots = new Int32Array(slotCount).fill(empty);
  yield;
  let longest = 0;
  let count = 0;
  let end = 0;
  let position = packed.indexOf(' ', packed.indexOf(' ') + 1) + 1;
  while (position < packed.length) {
    const space = packed.indexOf(' ', position);
    const stop = space < 0 ? packed.length : space;
    const start = end;
    end = decodeInto(bytes, start, packed, position, stop);
    let slot = hash(bytes, start, end);
    while (slots[slot] !== empty) slot = (slot + 1) % slotCount;
    slots[slot] = count;
    ends[count++] = end;
    longest = Math.max(longest, end - start);
    position = stop + 1;
    if (count % tokensPerSlice === 0) yield;
  }
  return new RankTable(bytes.slice(0, end), ends.slice(0, count), slots, longest);
}

function hash(bytes: Uint8Array, start: number, end: number): number {
  let value = end - start;
  for (let i = start; i < end; i++) value = Math.imul(value ^ bytes[i]!, 0x01000193);
  value ^= value >>> 15;
  return Math.imul(value, 0x2c1b3c6d) >>> 13;
}

const padding = '='.charCodeAt(0);
const sextets: Uint8Array = new Uint8Array(128);
const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
for (let value = 0; value < digits.length; value++) sextets[digits.charCodeAt(value)] = value;

/** Base64 by hand: `atob` goes through a string and costs several times as much. Returns where the bytes end. */
function decodeInto(bytes: Uint8Array, at: number, packed: string, start: number, stop: number): number {
  let end = at;
  for (let i = start; i < stop; i += 4) {
    const third = packed.charCodeAt(i + 2);
    const fourth = packed.charCodeAt(i + 3);
    const bits =
      (sextets[packed.charCodeAt(i)]! << 18) |
      (sextets[packed.charCodeAt(i + 1)]! << 12) |
      (sextets[third]! << 6) |
      sextets[fourth]!;
    bytes[end++] = bits >> 16;
    if (third !== padding) bytes[end++] = bits >> 8;
    if (fourth !== padding) bytes[end++] = bits;
  }
  return end;
}
