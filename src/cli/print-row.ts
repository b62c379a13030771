import { fold, type Marks, type Part } from './fold.js';
import type { Style } from './style.js';
import type { Terminal } from './terminal.js';

const LABEL_COLUMNS = 13;
const AGAIN = `  ${' '.repeat(LABEL_COLUMNS)}:`;

/** Of a line that starts at the edge. */
export const TITLE_MARKS = { first: '', again: ': ' } as const;

/** Prints a line of the result in as many rows as it takes. */
export function printFolded(terminal: Terminal, marks: Marks, parts: readonly Part[], style?: Style): void {
  fold(parts, marks, terminal.columns).forEach((row, index) => {
    const painted = row.map((part) =>
      part.style === undefined ? part.text : terminal.paint(part.style, part.text),
    );
    const line = (index === 0 ? marks.first : marks.again) + painted.join('');
    terminal.out(style === undefined ? line : terminal.paint(style, line));
  });
}

/**
 * Prints a fact about a server.
 *
 * @param terminal where to
 * @param label what the fact is
 * @param text printable
 * @param style of the whole line
 */
export function printRow(terminal: Terminal, label: string, text: string, style?: Style): void {
  printFolded(terminal, { first: `  ${label.padEnd(LABEL_COLUMNS)} `, again: AGAIN }, [{ text }], style);
}

/** Prints a hash in one piece, to be copied. It holds nothing of a server's. */
export function printHash(terminal: Terminal, label: string, sha256: string | null | undefined): void {
  terminal.out(`  ${label.padEnd(LABEL_COLUMNS)} ${sha256 ?? 'none'}`);
}
