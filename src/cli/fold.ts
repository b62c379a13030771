import { graphemeBorder } from '../instructions/graphemes.js';
import type { Style } from './style.js';

/** A part of a line. What it holds must be printable already. */
export interface Part {
  readonly text: string;
  readonly style?: Style | undefined;
}

/** What stands at the start of every row of a line, so that no row can pass for one of another kind. */
export interface Marks {
  /** Of the first row. */
  readonly first: string;
  /** Of every other row; another mark than the first, so that a row that goes on cannot pass for a line. */
  readonly again: string;
}

/** Where a terminal stops unless it was told otherwise. */
const TAB_STOP = 8;
/** Two wide characters: less is no room for anything. */
const LEAST_ROOM = 4;

/**
 * Breaks a line into rows that fit. A terminal would break a long one itself and start the next row at its edge, without a mark: there a
 * text could imitate whatever stands in front of others.
 *
 * @param parts the line
 * @param marks go in front of each row
 * @param columns of the terminal
 * @returns the parts of each row, without its mark
 */
export function fold(parts: readonly Part[], { first, again }: Marks, columns: number): Part[][] {
  // In the last column some terminals start a row of their own.
  const limit = Math.max(columns - 1, first.length + LEAST_ROOM, again.length + LEAST_ROOM);
  let row: Part[] = [];
  const rows = [row];
  let column = first.length;
  for (const { text, style } of parts) {
    for (let at = 0; at < text.length;) {
      const fit = fitting(text, at, column, limit);
      let { end } = fit;
      if (end < text.length) end = borderIn(text, at, end);
      // Not even one fits: a tab, which stops at the edge.
      if (end === at && row.length === 0) [end, fit.column] = [at + 1, limit];
      if (end > at) row.push({ text: text.slice(at, end), style });
      [at, column] = [end, fit.column];
      if (at === text.length) break;
      row = [];
      rows.push(row);
      column = again.length;
    }
  }
  return rows;
}

/**
 * How much fits. Every character beyond ASCII counts as two columns: terminals, fonts and versions of Unicode differ about them, and a
 * row that is too short does no harm.
 */
function fitting(text: string, from: number, start: number, limit: number): { end: number; column: number } {
  let column = start;
  let end = from;
  while (end < text.length) {
    const point = text.codePointAt(end) ?? 0;
    const next = point === 0x09 ? column + TAB_STOP - (column % TAB_STOP) : column + (point < 0x80 ? 1 : 2);
    if (next > limit) break;
    column = next;
    end += point > 0xffff ? 2 : 1;
  }
  return { end, column };
}

/** Not within what a reader sees as one character, unless it fills a row. */
function borderIn(text: string, from: number, end: number): number {
  const border = graphemeBorder(text, end);
  return border > from ? border : end;
}
