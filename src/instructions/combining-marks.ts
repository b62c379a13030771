/** What one base may carry; the most in honest text are Tibetan stacks and pointed Hebrew. */
const MAX_MARKS = 8;

const LONG_RUN = /[\p{M}\u200c\u200d]{9}/gu;
/** In pieces: a pattern over a whole flood needs memory by its length. */
const PIECE = /[\p{M}\u200c\u200d]{1,64}/uy;
const MARK = /\p{M}/u;

/**
 * Limits combining marks to 8 on a base: a flood of them covers the lines around it and makes one character of any length.
 *
 * @param text a text whose joiners were tidied: at most one between two marks
 * @returns the text, and how many UTF-16 units were removed; idempotent
 */
export function limitCombiningMarks(text: string): { text: string; count: number } {
  const parts: string[] = [];
  let done = 0;
  let count = 0;
  LONG_RUN.lastIndex = 0;
  for (let match = LONG_RUN.exec(text); match !== null; match = LONG_RUN.exec(text)) {
    const end = endOfRun(text, match.index);
    const kept = endOfMarks(text, match.index, end);
    if (kept < end) {
      parts.push(text.slice(done, kept));
      done = end;
      count += end - kept;
    }
    LONG_RUN.lastIndex = end;
  }
  if (count === 0) return { text, count };
  parts.push(text.slice(done));
  return { text: parts.join(''), count };
}

function endOfRun(text: string, start: number): number {
  let end = start;
  for (;;) {
    PIECE.lastIndex = end;
    if (!PIECE.test(text)) return end;
    end = PIECE.lastIndex;
  }
}

/** Where the eighth mark ends, or the run itself when it has no more than that. */
function endOfMarks(text: string, start: number, end: number): number {
  let marks = 0;
  let kept = start;
  let at = start;
  while (at < end) {
    const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
    at += character.length;
    if (!MARK.test(character)) continue;
    marks += 1;
    if (marks > MAX_MARKS) return kept;
    kept = at;
  }
  return end;
}
