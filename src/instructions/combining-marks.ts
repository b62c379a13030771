/** What one base may carry; the most in honest text are Tibetan stacks and pointed Hebrew. */
const MAX_MARKS = 8;

const LONG_RUN = /[\p{M}\u200c\u200d]{9,}/gu;
const MARK = /\p{M}/u;

/**
 * Limits combining marks to 8 on a base: a flood of them covers the lines around it and makes one character of any length.
 *
 * @param text a text whose joiners were tidied: at most one between two marks
 * @returns the text, and how many characters were removed; idempotent
 */
export function limitCombiningMarks(text: string): { text: string; count: number } {
  let count = 0;
  const limited = text.replaceAll(LONG_RUN, (run: string) => {
    const kept = firstMarks(run);
    if (kept.length < run.length) count += [...run].length - [...kept].length;
    return kept;
  });
  return { text: limited, count };
}

/** The run up to its eighth mark; whole when it has no more than that. */
function firstMarks(run: string): string {
  let marks = 0;
  let end = 0;
  let at = 0;
  for (const character of run) {
    at += character.length;
    if (!MARK.test(character)) continue;
    marks += 1;
    if (marks > MAX_MARKS) return run.slice(0, end);
    end = at;
  }
  return run;
}
