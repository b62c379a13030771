/** Something in which Markdown sees no fences and no headings, and the line that ends it. */
export interface RawBlock {
  readonly start: RegExp;
  readonly end: RegExp;
  /** What ends it, from what started it; `undefined` where a blank line does. */
  readonly closing: ((start: string) => string) | undefined;
}

/** The HTML blocks of CommonMark 0.31, section 4.6, kinds 1 to 5, and 6 and 7 as one. */
export const RAW_BLOCKS: readonly RawBlock[] = [
  {
    start: /^ {0,3}<(pre|script|style|textarea)(?:[ \t>]|$)/iu,
    end: /<\/(?:pre|script|style|textarea)>/iu,
    closing: (tag) => `</${tag}>`,
  },
  { start: /^ {0,3}<!--/u, end: /-->/u, closing: () => '-->' },
  { start: /^ {0,3}<\?/u, end: /\?>/u, closing: () => '?>' },
  { start: /^ {0,3}<!\[CDATA\[/u, end: /\]\]>/u, closing: () => ']]>' },
  { start: /^ {0,3}<![a-z]/iu, end: />/u, closing: () => '>' },
  // Any other tag: which of them count, and where, is left open.
  {
    start: /^ {0,3}<(?!(?:pre|script|style)(?:[ \t>]|$))\/?[a-z]/iu,
    end: /^[ \t]*$/u,
    closing: undefined,
  },
];
const COULD_START = /^ {0,3}</u;

/** Follows what may be open, line by line. Several may be at once: it can depend on the reader which of them is. */
export class RawBlockScanner {
  /** What may be open, in the order in which it started, each with what would end it. */
  #open: readonly (readonly [RawBlock, closing: string | undefined])[] = [];

  get isOpen(): boolean {
    return this.#open.length > 0;
  }

  /** What would end what may be open, in order. */
  get closings(): readonly string[] {
    return this.#open.flatMap(([, closing]) => closing ?? []);
  }

  /** @param line the next line, without its newline */
  next(line: string): void {
    if (this.isOpen) this.#open = this.#open.filter(([{ end }]) => !end.test(line));
    if (!COULD_START.test(line)) return;
    for (const block of RAW_BLOCKS) {
      const start = block.start.exec(line);
      if (start === null || block.end.test(line) || this.#open.some(([open]) => open === block)) continue;
      this.#open = [...this.#open, [block, block.closing?.(start[1] ?? '')]];
    }
  }

  /** @returns whether the line would end something that may be open */
  endsWith(line: string): boolean {
    return this.#open.some(([{ end }]) => end.test(line));
  }
}
