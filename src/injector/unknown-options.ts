import { notExpected } from '../errors.js';
import type { Observer } from '../observe/observer.js';
import { isRecord, kindOf } from '../values.js';

/** One event lists so many names. */
const NAMES_PER_EVENT = 20;
/** A host that makes up names as it goes is told about so many of them. */
const MAX_NAMES = 1_000;

/** Tells of options that mean nothing, each once: they are no error, so that a host may be newer than this library, and may be misspelt. */
export class UnknownOptions {
  readonly #told: Set<string> = new Set();
  readonly #observer: Observer;

  constructor(observer: Observer) {
    this.#observer = observer;
  }

  /** @param fields with where they stood, such as `servers.docs.arg` */
  tell(fields: readonly string[]): void {
    const news = fields.filter((field) => {
      if (this.#told.has(field) || this.#told.size >= MAX_NAMES) return false;
      this.#told.add(field);
      return true;
    });
    for (let at = 0; at < news.length; at += NAMES_PER_EVENT) {
      this.#observer.emit('warn', 'option-unknown', { options: news.slice(at, at + NAMES_PER_EVENT) });
    }
  }

  /**
   * Looks at the options of a call.
   *
   * @param call the function, for people
   * @param options what came; `null` counts as none
   * @param known the options there are
   * @throws InstructionsError `INVALID_OPTION` for anything but an object
   */
  check(call: string, options: unknown, known: Readonly<Record<string, true>>): void {
    if (options !== undefined && options !== null && !isRecord(options)) {
      throw notExpected('INVALID_OPTION', `${call}: options`, 'an object', kindOf(options));
    }
    this.look(call, options, known);
  }

  /** {@link UnknownOptions.check} for calls that must not fail. */
  look(call: string, options: unknown, known: Readonly<Record<string, true>>): void {
    if (!isRecord(options)) return;
    const unknown = Object.keys(options).filter((field) => !Object.hasOwn(known, field));
    if (unknown.length > 0) this.tell(unknown.map((field) => `${call}.${field}`));
  }
}
