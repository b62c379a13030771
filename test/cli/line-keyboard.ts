import { PassThrough } from 'node:stream';

/**
 * A terminal's keyboard. As a system does, it keeps a line until Enter ends it, and gives away what it kept when it is set to raw mode.
 */
export class LineKeyboard extends PassThrough {
  readonly isTTY: boolean;
  #isRaw = false;
  #line = '';

  constructor(isTTY: boolean = true) {
    super();
    this.isTTY = isTTY;
  }

  /** @param keys what a person presses; `\n` is Enter */
  press(keys: string): void {
    this.#line += keys;
    const ready = this.#isRaw ? this.#line.length : this.#line.lastIndexOf('\n') + 1;
    if (ready > 0) this.write(this.#line.slice(0, ready));
    this.#line = this.#line.slice(ready);
  }

  setRawMode(isRaw: boolean): void {
    this.#isRaw = isRaw;
    this.press('');
  }
}
