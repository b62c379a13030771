import { FenceScanner } from './fences.js';

/** Something in which Markdown sees no fences, and the line that ends it. */
interface RawBlock {
  readonly start: RegExp;
  readonly end: RegExp;
}

const RAW_BLOCKS: readonly RawBlock[] = [
  {
    start: /^ {0,3}<(?:pre|script|style|textarea)(?:[ \t>]|$)/iu,
    end: /<\/(?:pre|script|style|textarea)>/iu,
  },
  { start: /^ {0,3}<!--/u, end: /-->/u },
  { start: /^ {0,3}<\?/u, end: /\?>/u },
  { start: /^ {0,3}<!\[CDATA\[/u, end: /\]\]>/u },
  { start: /^ {0,3}<![a-z]/iu, end: />/u },
  // Any other tag: which of them count, and where, is left open.
  { start: /^ {0,3}<(?!(?:pre|script|style)(?:[ \t>]|$))\/?[a-z]/iu, end: /^[ \t]*$/u },
];
const COULD_START = /^ {0,3}</u;

/**
 * Tells, line by line, what every reader of Markdown takes for code in a fence. {@link FenceScanner} takes every fence for one,
 * which is right for closing it. But a fence in a list item ends with the item, and in a comment or a block of HTML there is none:
 * a text could hide a heading from us that its reader sees. So a fence counts here only when it stands at the margin and
 * outside of HTML. After a place where readers may differ on whether a fence is open, nothing counts.
 */
export class CodeLines {
  readonly #scanner = new FenceScanner();
  /** What may be open outside of fences. */
  #blocks: readonly RawBlock[] = [];
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
      this.#followBlocks(line);
      return false;
    }
    if (!wasOpen) {
      this.#margin = line.search(/[^ ]/u);
      this.#isCode = this.#margin === 0 && this.#blocks.length === 0;
    }
    if (this.#isCode) return true;
    // What makes the fence doubtful ended inside it: one reader is in code now, another is not.
    this.#isLost = this.#leavesMargin(line) || this.#blocks.some(({ end }) => end.test(line));
    return false;
  }

  #followBlocks(line: string): void {
    if (this.#blocks.length > 0) this.#blocks = this.#blocks.filter(({ end }) => !end.test(line));
    if (!COULD_START.test(line)) return;
    const started = RAW_BLOCKS.filter(
      (block) => block.start.test(line) && !block.end.test(line) && !this.#blocks.includes(block),
    );
    this.#blocks = [...this.#blocks, ...started];
  }

  /** Whether a list item that holds the fence would end with this line. */
  #leavesMargin(line: string): boolean {
    const ink = line.search(/[^ ]/u);
    return ink !== -1 && ink < this.#margin && line[ink] !== '\t';
  }
}
