import { styleText } from 'node:util';

import { fold } from './fold.js';
import type { Questions } from './questions.js';
import type { Style } from './style.js';

/** Where a command writes. */
export interface Terminal {
  /** Writes a line of the result. */
  out(line: string): void;
  /** Writes a line for people: progress, warnings, mistakes. On a terminal, a long one goes on behind a mark. */
  note(line: string): void;
  /** Colours a part of a result line, where the result goes to a terminal that has colours. */
  paint(style: Style, text: string): string;
  /** How wide the result may be: the terminal's columns, or 80 where there is none. */
  readonly columns: number;
  /** Asks a person; absent where nobody would see the result and could answer. */
  readonly questions?: Questions | undefined;
}

/** What is needed of a stream. */
interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  hasColors?(): boolean;
}

const DEFAULT_COLUMNS = 80;
const NOTE_MARKS = { first: '', again: ': ' } as const;

/**
 * A terminal over two streams. `NO_COLOR` and `FORCE_COLOR` count, but there is colour on a TTY only.
 *
 * @param stdout gets the result
 * @param stderr gets everything else
 * @param questions asks on a terminal
 */
export function createTerminal(stdout: Output, stderr: Output, questions?: Questions): Terminal {
  const hasColours = stdout.isTTY === true && stdout.hasColors?.() === true;
  return {
    out: (line) => void stdout.write(`${line}\n`),
    note: (line) => void stderr.write(`${noteOf(line, stderr)}\n`),
    paint: (style, text) => (hasColours ? styleText(style, text) : text),
    get columns() {
      return columnsOf(stdout);
    },
    questions: stdout.isTTY === true ? questions : undefined,
  };
}

/** A terminal that does not know its width says 0. */
function columnsOf({ columns }: Output): number {
  return columns === undefined || columns === 0 ? DEFAULT_COLUMNS : columns;
}

function noteOf(line: string, output: Output): string {
  return output.isTTY === true ? foldNote(line, columnsOf(output)) : line;
}

/**
 * @param line printable text for people
 * @param columns of the terminal
 * @returns its rows, each but the first behind a mark
 */
export function foldNote(line: string, columns: number): string {
  return fold([{ text: line }], NOTE_MARKS, columns)
    .map((row, index) => (index === 0 ? '' : NOTE_MARKS.again) + row.map(({ text }) => text).join(''))
    .join('\n');
}
