/** Blank lines in a row that are kept. */
const MAX_BLANK_LINES = 4;

const FLOOD = /\n(?:[^\S\n]*\n){5,}/gu;

/**
 * Shortens floods of blank lines, which push what follows them out of a reader's sight.
 *
 * @param text a text with `\n` line ends
 * @returns the text with at most 4 blank lines in a row, and how many floods there were; idempotent
 */
export function limitBlankLines(text: string): { text: string; count: number } {
  let count = 0;
  const limited = text.replaceAll(FLOOD, () => {
    count += 1;
    return '\n'.repeat(MAX_BLANK_LINES + 1);
  });
  return { text: limited, count };
}
