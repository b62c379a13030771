import type { Readable, Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

/** Asks a person. */
export interface Questions {
  /**
   * Asks, and takes the first line that is typed from then on: what was typed before was typed by somebody who had not seen the question.
   *
   * @param question without a line end
   * @param signal ends the wait
   * @returns what was typed; `undefined` when the input ended or the signal aborted
   */
  ask(question: string, signal: AbortSignal): Promise<string | undefined>;
}

/** Where a person types. */
export type Keyboard = Readable & { readonly isTTY?: boolean; setRawMode?(isRaw: boolean): unknown };

/**
 * @param input where answers come from
 * @param output where questions go
 * @returns `undefined` when nobody is there to answer
 */
export function questionsOf(input: Keyboard, output: Writable): Questions | undefined {
  return input.isTTY === true ? new LineQuestions(input, output) : undefined;
}

/** So long nothing must come before all that was typed ahead counts as read, in ms. */
const QUIET_MS = 30;
/** How often that is waited for: keys that are held down or pasted do not end. */
const MAX_LOOKS = 100;
const CTRL_C = '\u0003';
const CTRL_D = '\u0004';

class LineQuestions implements Questions {
  readonly #input: Keyboard;
  readonly #output: Writable;
  readonly #decoder: StringDecoder = new StringDecoder('utf8');
  #typed = '';
  #isOpen = false;
  #hasEnded = false;
  #wake: () => void = () => {};

  constructor(input: Keyboard, output: Writable) {
    this.#input = input;
    this.#output = output;
  }

  async ask(question: string, signal: AbortSignal): Promise<string | undefined> {
    this.#open();
    await this.#drain(signal);
    this.#output.write(`${question} `);
    const wake = (): void => this.#wake();
    signal.addEventListener('abort', wake);
    while (!this.#typed.includes('\n') && !this.#hasEnded && !signal.aborted) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    signal.removeEventListener('abort', wake);
    // An input that is read keeps the process from ending.
    this.#input.pause();
    const line = this.#typed.split(/\r?\n/u)[0];
    return signal.aborted || !this.#typed.includes('\n') ? undefined : line;
  }

  /**
   * Drops what was typed ahead. The terminal itself keeps a line that is not ended yet, and gives it away in its raw mode only: else an
   * Enter after the question would end a line that was begun before it.
   */
  async #drain(signal: AbortSignal): Promise<void> {
    this.#setRaw(true);
    try {
      this.#input.resume();
      for (let look = 0; look < MAX_LOOKS && !this.#hasEnded && !signal.aborted; look += 1) {
        this.#typed = '';
        await new Promise((resolve) => {
          setTimeout(resolve, QUIET_MS);
        });
        // In raw mode they are characters like others.
        if (this.#typed.includes(CTRL_C)) process.kill(process.pid, 'SIGINT');
        if (this.#typed.includes(CTRL_D)) this.#hasEnded = true;
        if (this.#typed === '') break;
      }
    } finally {
      this.#typed = '';
      this.#setRaw(false);
    }
  }

  #setRaw(isRaw: boolean): void {
    try {
      this.#input.setRawMode?.(isRaw);
    } catch {
      // The terminal is gone, and nobody with it.
      this.#hasEnded = true;
    }
  }

  /** The terminal's own line editing: so Ctrl-C is a signal to the process, as anywhere else. */
  #open(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    this.#input.on('data', (chunk: Buffer | string) => {
      this.#typed += typeof chunk === 'string' ? chunk : this.#decoder.write(chunk);
      this.#wake();
    });
    const end = (): void => {
      this.#hasEnded = true;
      this.#wake();
    };
    this.#input.on('end', end);
    this.#input.on('close', end);
    this.#input.on('error', end);
  }
}
