const lineFeed = 0x0a;

/**
 * Splits a byte stream into lines. Bytes are joined before they are decoded, so a character cut in two by a chunk border
 * stays whole, and a chunk is looked at once, however long the line gets.
 */
export class LineReader {
  readonly #maxLineBytes: number;
  #parts: Buffer[] = [];
  #bytes = 0;

  /** @param maxLineBytes the longest line, in bytes */
  constructor(maxLineBytes: number) {
    this.#maxLineBytes = maxLineBytes;
  }

  /**
   * @param chunk the next bytes
   * @returns the lines that are complete now, without their ends
   * @throws RangeError when a line is longer than the limit
   */
  push(chunk: Buffer): readonly string[] {
    const lines: string[] = [];
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(lineFeed, start);
      const part = chunk.subarray(start, end === -1 ? undefined : end);
      this.#bytes += part.length;
      if (this.#bytes > this.#maxLineBytes) throw new RangeError('a line is over the limit');
      this.#parts.push(part);
      if (end === -1) return lines;
      lines.push(this.#take());
      start = end + 1;
    }
  }

  #take(): string {
    const text = Buffer.concat(this.#parts, this.#bytes).toString('utf8');
    this.#parts = [];
    this.#bytes = 0;
    return text;
  }
}
