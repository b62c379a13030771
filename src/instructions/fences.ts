/** The longest fence run that is kept; closing an open fence then costs at most 9 units, its newline included. */
const MAX_RUN = 8;

const RUN_AT_START = /^( {0,3})(`{3,}|~{3,})/u;
const CLOSING_LINE = /^ {0,3}(`{3,}|~{3,})[ \t]*$/u;

/**
 * Follows CommonMark code fences line by line. Fences inside quotes and lists count as text: they end with their
 * container, so they cannot swallow what follows.
 */
export class FenceScanner {
  #open: string | undefined;

  /** The shortest run that would close the fence now open; `undefined` outside a fence. */
  get open(): string | undefined {
    return this.#open;
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
    return true;
  }
}

/** @returns whether any line could be a fence; saves the walk over lines for most texts */
function mayHoldFence(text: string): boolean {
  return text.includes('```') || text.includes('~~~');
}

/**
 * @param text a text with `\n` line ends
 * @returns the run that would close the fence left open at the end, or `undefined`
 */
export function openFenceOf(text: string): string | undefined {
  if (!mayHoldFence(text)) return undefined;
  const scanner = new FenceScanner();
  forEachLine(text, (line) => scanner.next(line));
  return scanner.open;
}

/**
 * Closes a fence left open at the end, which would otherwise swallow the next server's section.
 *
 * @param text a text with `\n` line ends
 * @returns the text, with `\n` and the closing run where a fence was open; idempotent
 */
export function closeOpenFence(text: string): string {
  const run = openFenceOf(text);
  return run === undefined ? text : `${text}\n${run}`;
}

/**
 * Shortens fence runs to 8 characters, so that closing one never costs more than 9 units. A line that only just did not close
 * a shortened fence gets 7, so that it still does not. Runs that start a line without opening a fence are shortened too:
 * the cap may cut off what kept them from opening one.
 *
 * @param text a text with `\n` line ends
 * @returns the text and how many runs were shortened; idempotent
 */
export function shortenFences(text: string): { text: string; count: number } {
  if (!text.includes('`'.repeat(MAX_RUN + 1)) && !text.includes('~'.repeat(MAX_RUN + 1)))
    return { text, count: 0 };
  const scanner = new FenceScanner();
  const parts: string[] = [];
  let done = 0;
  forEachLine(text, (line, from) => {
    const before = scanner.open;
    scanner.next(line);
    const start = RUN_AT_START.exec(line);
    const run = start?.[2];
    if (start === null || run === undefined) return;
    const keep = keptRun(run, before, scanner.open);
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

/** @returns how many characters of a run at the start of a line stay */
function keptRun(run: string, openBefore: string | undefined, openAfter: string | undefined): number {
  if (openBefore === undefined) return MAX_RUN;
  const shortened = openBefore.length > MAX_RUN;
  if (!shortened || !openBefore.startsWith(run.charAt(0))) return run.length;
  return openAfter === undefined ? MAX_RUN : MAX_RUN - 1;
}
