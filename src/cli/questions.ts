import { createInterface, type Interface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';

/** Asks a person. */
export interface Questions {
  /**
   * @param question one line, without a line end
   * @param signal ends the wait
   * @returns what was typed; `undefined` when the input ended or the signal aborted
   */
  ask(question: string, signal: AbortSignal): Promise<string | undefined>;
}

/**
 * @param input where answers come from
 * @param output where questions go
 * @returns `undefined` when nobody is there to answer
 */
export function questionsOf(
  input: Readable & { readonly isTTY?: boolean },
  output: Writable,
): Questions | undefined {
  return input.isTTY === true ? new LineQuestions(input, output) : undefined;
}

class LineQuestions implements Questions {
  readonly #input: Readable;
  readonly #output: Writable;
  readonly #typed: string[] = [];
  #lines: Interface | undefined;
  #hasEnded = false;
  #wake: () => void = () => {};

  constructor(input: Readable, output: Writable) {
    this.#input = input;
    this.#output = output;
  }

  async ask(question: string, signal: AbortSignal): Promise<string | undefined> {
    this.#output.write(`${question} `);
    const lines = (this.#lines ??= this.#open());
    lines.resume();
    const wake = (): void => this.#wake();
    signal.addEventListener('abort', wake);
    while (this.#typed.length === 0 && !this.#hasEnded && !signal.aborted) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    signal.removeEventListener('abort', wake);
    // An input that is read keeps the process from ending.
    if (!this.#hasEnded) lines.pause();
    return signal.aborted ? undefined : this.#typed.shift();
  }

  /** The terminal's own line editing: so Ctrl-C is a signal to the process, as anywhere else. */
  #open(): Interface {
    const lines = createInterface({ input: this.#input, terminal: false });
    lines.on('line', (line) => {
      this.#typed.push(line);
      this.#wake();
    });
    lines.on('close', () => {
      this.#hasEnded = true;
      this.#wake();
    });
    return lines;
  }
}
