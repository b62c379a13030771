const OTHER_LINE_END = /[\r\v\f\u0085\u2028\u2029]/;
const LINE_ENDS = /[\n\r\v\f\u0085\u2028\u2029]+/g;

/**
 * Every kind of line end becomes a newline. First of the cleaning passes, because a bare CR lets one line be printed over
 * another, and because all later passes know one line end only.
 *
 * @param text any text
 * @returns the text with CRLF, CR, VT, FF, U+0085, U+2028 and U+2029 as `\n`; idempotent
 */
export function normaliseLineEnds(text: string): string {
  if (!OTHER_LINE_END.test(text)) return text;
  return text.replaceAll(LINE_ENDS, (run: string) => '\n'.repeat(run.length - pairsIn(run)));
}

/** How many of a run's line ends are CRLF, which is one. */
function pairsIn(run: string): number {
  let pairs = 0;
  for (let at = run.indexOf('\r\n'); at !== -1; at = run.indexOf('\r\n', at + 2)) pairs += 1;
  return pairs;
}
