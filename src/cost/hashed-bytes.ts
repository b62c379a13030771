const factor = 0x01000193;
/** `powers[n]` is the factor to the power of n, for tokens of up to that length. */
const powers: Int32Array = new Int32Array(1_024);
powers[0] = 1;
for (let i = 1; i < powers.length; i++) powers[i] = Math.imul(powers[i - 1]!, factor);

/**
 * A piece of text in UTF-8, with which the hash of any stretch of it takes the same short time: what a merge asks for
 * again and again are stretches that overlap.
 */
export class HashedBytes {
  /** The piece, from the start on. */
  readonly bytes: Uint8Array;
  /** `#upTo[i]` is the hash of the first i bytes. */
  readonly #upTo: Int32Array;

  /** @param room how many bytes it can hold */
  constructor(room: number) {
    this.bytes = new Uint8Array(room);
    this.#upTo = new Int32Array(room + 1);
  }

  /**
   * Takes note of what was written into `bytes`.
   *
   * @param length how many bytes the piece has
   */
  seal(length: number): void {
    const upTo = this.#upTo;
    let hash = 0;
    for (let i = 0; i < length; i++) upTo[i + 1] = hash = add(hash, this.bytes[i]!);
  }

  /**
   * The hash of a stretch of the piece; the same as {@link hashOf} gives.
   *
   * @param start its first byte
   * @param end the byte after its last, at most 1,023 further
   */
  hash(start: number, end: number): number {
    return (this.#upTo[end]! - Math.imul(this.#upTo[start]!, powers[end - start]!)) | 0;
  }
}

/** The 32-bit hash of some bytes. */
export function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0;
  for (let i = start; i < end; i++) hash = add(hash, bytes[i]!);
  return hash;
}

function add(hash: number, byte: number): number {
  // One more than the byte, or leading zeros would not count.
  return (Math.imul(hash, factor) + byte + 1) | 0;
}
