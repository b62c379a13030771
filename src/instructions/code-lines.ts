import { FenceScanner } from './fences.js';
import { RawBlockScanner } from './raw-blocks.js';

/**
 * Tells, line by line, what every reader of Markdown takes for code in a fence. {@link FenceScanner} takes every fence for one,
 * which is right for closing it. But a fence in a list item ends with the item, and in a comment or a block of HTML there is none:
 * a text could hide a heading from us that its reader sees. So a fence counts here only when it stands at the margin and
 * outside of HTML. After a place where readers may differ on whether a fence is open, nothing counts.
 */
export class CodeLines {
  readonly #scanner = new FenceScanner();
  /** What may be open outside of fences. */
  readonly #blocks = new RawBlockScanner();
  /** Whether all readers see the fence that is open. */
  #isCode = false;
  #margin = 0;
  #isLost = false;

  /**
   * @param line the next line, without its newline
   * @returns whether the line certainly is in a fence, or is one of its fence lines
   */
  next(line: string): boolean {
    if (this.#isLost) return false;
    const wasOpen = this.#scanner.open !== undefined;
    if (!this.#scanner.next(line)) {
      this.#blocks.next(line);
      return false;
    }
    if (!wasOpen) {
      this.#margin = line.search(/[^ ]/u);
      this.#isCode = this.#margin === 0 && !this.#blocks.isOpen;
    }
    if (this.#isCode) return true;
    // What makes the fence doubtful ended inside it: one reader is in code now, another is not.
    this.#isLost = this.#leavesMargin(line) || this.#blocks.endsWith(line);
    return false;
  }

  /** Whether a list item that holds the fence would end with this line. */
  #leavesMargin(line: string): boolean {
    const ink = line.search(/[^ ]/u);
    return ink !== -1 && ink < this.#margin && line[ink] !== '\t';
  }
}
