import { createTerminal, type Terminal } from '../../src/cli/terminal.js';

/** A terminal that keeps what is written to it. */
export class MemoryTerminal {
  readonly terminal: Terminal;
  out: string = '';
  notes: string = '';

  /** @param isTTY whether the result goes to a terminal with colours */
  constructor(isTTY: boolean = false) {
    this.terminal = createTerminal(
      { isTTY, hasColors: () => true, write: (text) => (this.out += text) },
      { write: (text) => (this.notes += text) },
    );
  }
}
