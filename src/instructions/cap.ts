import { openFenceOf } from './fences.js';
import { graphemeBorder } from './graphemes.js';

/** What follows a text that was cut: 13 UTF-16 units on top of the cap. */
export const TRUNCATION_MARKER = '… [truncated]';

const CLOSING_LINE = /^ {0,3}(?:`{3,8}|~{3,8})$/u;

/** A text after the cap; lengths in UTF-16 units. */
export interface Capped {
  /** What is left, with its marker when something was lost. */
  readonly text: string;
  /** Units of the text that were kept, marker and an added closing fence not counted. */
  readonly keptChars: number;
  /** Units that were dropped. */
  readonly lostChars: number;
}

/**
 * Cuts a text to at most `maxChars` units, on a grapheme border, and says so with the marker. A closing fence at the very end
 * is free of charge, as it would be added again anyway, and a text that already ends in the marker is cut just before it:
 * so capping and then closing the open fence is idempotent.
 *
 * @param text a cleaned text
 * @param maxChars positive, UTF-16 units
 * @param alreadyLost units that an earlier, coarser limit dropped from the end; with any, the marker is set in every case
 * @returns the text of at most `maxChars` + 13 units (+ 9 with a closing fence)
 */
export function cap(text: string, maxChars: number, alreadyLost = 0): Capped {
  if (alreadyLost === 0) {
    if (text.length <= maxChars) return { text, keptChars: text.length, lostChars: 0 };
    const body = withoutClosingFence(text);
    if (body.length <= maxChars) return { text, keptChars: body.length, lostChars: 0 };
    const own = body.length - TRUNCATION_MARKER.length;
    if (own <= maxChars && body.endsWith(TRUNCATION_MARKER)) {
      return { text: body, keptChars: own, lostChars: text.length - own };
    }
  }
  const border = beforeJoiners(text, graphemeBorder(text, maxChars));
  return {
    text: text.slice(0, border) + TRUNCATION_MARKER,
    keptChars: border,
    lostChars: text.length - border + alreadyLost,
  };
}

/** The text without a last line that does nothing but close the fence that is open before it. */
function withoutClosingFence(text: string): string {
  const end = text.lastIndexOf('\n');
  const line = text.slice(end + 1);
  if (end < 0 || !CLOSING_LINE.test(line)) return text;
  const body = text.slice(0, end);
  return openFenceOf(body) === line ? body : text;
}

/** What joins two characters has no use before a cut. */
function beforeJoiners(text: string, border: number): number {
  let end = border;
  while (end > 0 && isJoiner(text.charCodeAt(end - 1))) end -= 1;
  return end;
}

/** Zero-width space, ZWNJ, ZWJ, and the blank of Braille, which cleaning keeps only between two cells. */
function isJoiner(unit: number): boolean {
  return (unit >= 0x200b && unit <= 0x200d) || unit === 0x2800;
}
