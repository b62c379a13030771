import { isObject } from '../values.js';

/** How many of the last messages are looked at: a turn adds few. */
const LAST = 4;

/**
 * Notices hosts that send the same message objects again. Remembering what was read pays only for them: for a body that was just
 * parsed it costs more than it saves.
 */
export class ReuseWatch {
  readonly #seen: WeakSet<object> = new WeakSet();

  /**
   * @param messages the messages of a request, in order
   * @returns whether some of them were in an earlier request
   */
  isReused(messages: readonly unknown[]): boolean {
    const [first] = messages;
    const last = messages.at(-1);
    if (!isObject(first) || !isObject(last)) return false;
    const reused =
      this.#seen.has(first) ||
      messages.slice(-LAST).some((message) => isObject(message) && this.#seen.has(message));
    this.#seen.add(first).add(last);
    return reused;
  }
}
