import { styleText } from 'node:util';

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
 */
export function createTerminal(stdout: Output, stderr: Output): Terminal {
  const hasColours = stdout.isTTY === true && stdout.hasColors?.() === true;
  return {
    out: (line) => void stdout.write(`${line}\n`),
    note: (line) => void stderr.write(`${line}\n`),
    paint: (style, text) => (hasColours ? styleText(style, text) : text),
  };
}
