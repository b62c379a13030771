/**
 * Every kind of line end becomes a newline. First of the cleaning passes, because a bare CR lets one line be printed over
 * another, and because all later passes know one line end only.
 *
 * @param text any text
 * @returns the text with CRLF, CR, VT, FF, U+0085, U+2028 and U+2029 as `\n`
 */
export function normaliseLineEnds(text: string): string {
  return text.replaceAll(/\r\n|[\r\v\f\u0085\u2028\u2029]/gu, '\n');
}
