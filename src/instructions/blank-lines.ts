/** Line ends in a row that are kept: 4 blank lines. */
const MAX_LINE_ENDS = 5;

const LONG_GAP = /\n\s{5,}/g;

/**
 * Shortens floods of blank lines, which push what follows them out of a reader's sight.
 *
 * @param text a text with `\n` line ends
 * @returns the text with at most 4 blank lines in a row, and how many floods there were; idempotent
 */
export function limitBlankLines(text: string): { text: string; count: number } {
  let count = 0;
  const limited = text.replaceAll(LONG_GAP, (gap: string) => {
    if (lineEndsIn(gap) <= MAX_LINE_ENDS) return gap;
    count += 1;
    // The indentation of the line after the gap stays.
    return '\n'.repeat(MAX_LINE_ENDS) + gap.slice(gap.lastIndexOf('\n') + 1);
  });
  return { text: limited, count };
}

/** Stops counting once there are too many. */
function lineEndsIn(gap: string): number {
  let count = 0;
  for (let at = gap.indexOf('\n'); at !== -1 && count <= MAX_LINE_ENDS; at = gap.indexOf('\n', at + 1))
    count += 1;
  return count;
}
