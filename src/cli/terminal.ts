import { styleText } from 'node:util';

import type { Questions } from './questions.js';

/** The few ways in which a word can stand out. */
export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

/** Where a command writes. */
export interface Terminal {
  /** Writes a line of the result. */
  out(line: string): void;
  /** Writes a line for people: progress, warnings, mistakes. */
  note(line: string): void;
  /** Colours a part of a result line, where the result goes to a terminal that has colours. */
  paint(style: Style, text: string): string;
  /** Asks a person; absent where nobody would see the result and could answer. */
  readonly questions?: Questions | undefined;
}

/** What is needed of a stream. */
interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
  hasColors?(): boolean;
}

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
    note: (line) => void stderr.write(`${line}\n`),
    paint: (style, text) => (hasColours ? styleText(style, text) : text),
    questions: stdout.isTTY === true ? questions : undefined,
  };
}
