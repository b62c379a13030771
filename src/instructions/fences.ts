/** The longest closing line: with its newline, closing an open fence costs at most 9 units. */
const MAX_CLOSING = 8;
/** The deepest indentation of a fence. */
const MAX_INDENT = 3;

const RUN_AT_START = /^( {0,3})(`{3,}|~{3,})/u;
const CLOSING_LINE = /^ {0,3}(`{3,}|~{3,})[ \t]*$/u;

/**
 * Follows CommonMark code fences line by line. Fences inside quotes and lists count as text: they end with their
 * container, so they cannot swallow what follows.
 */
export class FenceScanner {
  #open: string | undefined;
  #indent = '';

  /** The shortest run that would close the fence now open; `undefined` outside a fence. */
  get open(): string | undefined {
    return this.#open;
  }

  /**
   * The line that closes the fence now open for every reader. It is indented as the fence is: for who knows lists, one in a list item is
   * closed within the item, and a line at the margin would open another.
   */
  get closing(): string | undefined {
    return this.#open === undefined ? undefined : this.#indent + this.#open;
  }

  /**
   * @param line the next line, without its newline
   * @returns whether the line is inside a fence or is a fence line itself
   */
  next(line: string): boolean {
    if (this.#open !== undefined) {
      const run = CLOSING_LINE.exec(line)?.[1];
      if (run?.startsWith(this.#open)) this.#open = undefined;
      return true;
    }
    const start = RUN_AT_START.exec(line);
    const run = start?.[2];
    if (start === null || run === undefined) return false;
    // With a backtick in the rest of the line it is an inline code span.
    if (run.startsWith('`') && line.includes('`', start[0].length)) return false;
    this.#open = run;
    this.#indent = start[1] ?? '';
    return true;
  }
}

/** @returns whether any line could be a fence; saves the walk over lines for most texts */
function mayHoldFence(text: string): boolean {
  return text.includes('```') || text.includes('~~~');
}

/**
 * @param text a text with `\n` line ends
 * @returns the line that closes the fence left open at the end, or `undefined`
 */
export function openFenceOf(text: string): string | undefined {
  if (!mayHoldFence(text)) return undefined;
  const scanner = new FenceScanner();
  forEachLine(text, (line) => scanner.next(line));
  return scanner.closing;
}

/**
 * Closes a fence left open at the end, which would otherwise swallow the next server's section.
 *
 * @param text a text with `\n` line ends
 * @returns the text, with `\n` and the closing line where a fence was open; idempotent
 */
export function closeOpenFence(text: string): string {
  const closing = openFenceOf(text);
  return closing === undefined ? text : `${text}\n${closing}`;
}

/**
 * Shortens fence runs to 8 characters with their indentation, so that closing one never costs more than 9 units. A line that only just
 * did not close a shortened fence gets one less, so that it still does not. Runs that start a line without opening a fence are
 * shortened too: the cap may cut off what kept them from opening one.
 *
 * @param text a text with `\n` line ends
 * @returns the text and how many runs were shortened; idempotent
 */
export function shortenFences(text: string): { text: string; count: number } {
  const least = MAX_CLOSING - MAX_INDENT + 1;
  if (!text.includes('`'.repeat(least)) && !text.includes('~'.repeat(least))) return { text, count: 0 };
  const scanner = new FenceScanner();
  const parts: string[] = [];
  let done = 0;
  forEachLine(text, (line, from) => {
    const { open, closing } = scanner;
    scanner.next(line);
    const start = RUN_AT_START.exec(line);
    const run = start?.[2];
    if (start === null || run === undefined) return;
    const keep =
      open === undefined || closing === undefined
        ? MAX_CLOSING - (start[1] ?? '').length
        : keptInside(run, { open, indent: closing.length - open.length, closes: scanner.open === undefined });
    if (keep >= run.length) return;
    const end = from + start[0].length;
    parts.push(text.slice(done, end - run.length + keep));
    done = end;
  });
  if (parts.length === 0) return { text, count: 0 };
  return { text: parts.join('') + text.slice(done), count: parts.length };
}

/** Without an array of all lines, of which a text can have very many. */
function forEachLine(text: string, visit: (line: string, from: number) => unknown): void {
  let from = 0;
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', from)) {
    visit(text.slice(from, end), from);
    from = end + 1;
  }
  visit(text.slice(from), from);
}

/** @returns how many characters of a run stay that starts a line in a fence */
function keptInside(
  run: string,
  { open, indent, closes }: { readonly open: string; readonly indent: number; readonly closes: boolean },
): number {
  const limit = MAX_CLOSING - indent;
  if (open.length <= limit || !open.startsWith(run.charAt(0))) return run.length;
  return closes ? limit : limit - 1;
}
