/** Keeps the end of a byte stream that may never stop, in bounded memory. */
export class TextTail {
  readonly #maxChars: number;
  #bytes: Buffer = Buffer.alloc(0);

  /** @param maxChars how much to keep, in UTF-16 units */
  constructor(maxChars: number) {
    this.#maxChars = maxChars;
  }

  push(chunk: Buffer): void {
    // A UTF-16 unit takes at most three bytes of UTF-8.
    const keptBytes = this.#maxChars * 3;
    this.#bytes =
      chunk.length >= keptBytes
        ? Buffer.from(chunk.subarray(-keptBytes))
        : Buffer.concat([this.#bytes.subarray(-(keptBytes - chunk.length)), chunk]);
  }

  /** The end of the stream, at most the limit, never starting inside a character. */
  get text(): string {
    return this.#bytes
      .toString('utf8')
      .slice(-this.#maxChars)
      .replace(/^[\uFFFD\uDC00-\uDFFF]+/u, '')
      .trimEnd();
  }
}
