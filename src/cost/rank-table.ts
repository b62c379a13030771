import { hashOf, type HashedBytes } from './hashed-bytes.js';

// Cut by count, not by a clock: on some edge runtimes the clock stands still while code runs.
const tokensPerSlice = 3_000;
const slotCount = 1 << 19;
const emptySlot = -1;
/** A slot holds a rank in its low bits and a part of the token's hash above, so that most misses end at the slot. */
const rankBits = 18;
const rankMask: number = (1 << rankBits) - 1;
/** Two million bits, one of which is set for each token: 256 KB that tell nine of ten misses before the slots are read. */
const filterWords = 1 << 16;

/**
 * The tokens of an encoding, found by their bytes. A hash table over flat arrays: a `Map` of 200,000 strings takes
 * several times the memory and stops the event loop for over 20 ms whenever it grows.
 */
export class RankTable {
  readonly #bytes: Uint8Array;
  readonly #ends: Uint32Array;
  readonly #slots: Int32Array;
  readonly #filter: Int32Array;
  readonly #longest: number;

  /** Made by {@link buildRankTable}; `ends[rank]` is where the bytes of that token end and the next token's start. */
  constructor(bytes: Uint8Array, ends: Uint32Array, slots: Int32Array, filter: Int32Array, longest: number) {
    this.#bytes = bytes;
    this.#ends = ends;
    this.#slots = slots;
    this.#filter = filter;
    this.#longest = longest;
  }

  /**
   * Looks a token up, in a time that does not depend on its length unless it is found.
   *
   * @param piece where the token may stand
   * @param start its first byte
   * @param end the byte after its last
   * @returns its rank, which is also its number in the encoding; -1 when these bytes are no token
   */
  find(piece: HashedBytes, start: number, end: number): number {
    if (end - start > this.#longest) return -1;
    const hash = piece.hash(start, end);
    const mixed = mix(hash);
    if (((this.#filter[mixed >>> 16]! >>> ((mixed >>> 11) & 31)) & 1) === 0) return -1;
    let slot = mixed >>> 13;
    for (;;) {
      const entry = this.#slots[slot]!;
      if (entry === emptySlot) return -1;
      if (((entry ^ hash) & ~rankMask) === 0) {
        const rank = entry & rankMask;
        if (this.#holds(rank, piece.bytes, start, end)) return rank;
      }
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
export function* buildRankTable(packed: Uint8Array): Generator<undefined, RankTable> {
  // Upper limits: a token takes four base64 digits and a space at least.
  const bytes = new Uint8Array(Math.ceil((packed.length / 4) * 3));
  const ends = new Uint32Array(Math.ceil(packed.length / 5) + 1);
  const slots = new Int32Array(slotCount).fill(emptySlot);
  const filter = new Int32Array(filterWords);
  yield;
  let longest = 0;
  let count = 0;
  let end = 0;
  let position = packed.indexOf(space, packed.indexOf(space) + 1) + 1;
  while (position < packed.length) {
    const found = packed.indexOf(space, position);
    const stop = found < 0 ? packed.length : found;
    const start = end;
    end = decodeInto(bytes, start, packed, position, stop);
    const hash = hashOf(bytes, start, end);
    const mixed = mix(hash);
    filter[mixed >>> 16]! |= 1 << ((mixed >>> 11) & 31);
    let slot = mixed >>> 13;
    while (slots[slot] !== emptySlot) slot = (slot + 1) % slotCount;
    slots[slot] = (hash & ~rankMask) | count;
    ends[count++] = end;
    longest = Math.max(longest, end - start);
    position = stop + 1;
    if (count % tokensPerSlice === 0) yield;
  }
  return new RankTable(bytes.slice(0, end), ends.slice(0, count), slots, filter, longest);
}

function mix(hash: number): number {
  return Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
}

const space = ' '.charCodeAt(0);
const padding = '='.charCodeAt(0);
const sextets: Uint8Array = new Uint8Array(128);
const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
for (let value = 0; value < digits.length; value++) sextets[digits.charCodeAt(value)] = value;

/** Base64 by hand: `atob` goes through strings and costs several times as much. Returns where the bytes end. */
function decodeInto(bytes: Uint8Array, at: number, packed: Uint8Array, start: number, stop: number): number {
  let end = at;
  for (let i = start; i < stop; i += 4) {
    const third = packed[i + 2]!;
    const fourth = packed[i + 3]!;
    const bits =
      (sextets[packed[i]!]! << 18) |
      (sextets[packed[i + 1]!]! << 12) |
      (sextets[third]! << 6) |
      sextets[fourth]!;
    bytes[end++] = bits >> 16;
    if (third !== padding) bytes[end++] = bits >> 8;
    if (fourth !== padding) bytes[end++] = bits;
  }
  return end;
}
