import { isObject } from '../../values.js';

/** The values of an object, or the items of a list, as they were. */
type Shallow = readonly unknown[];

/**
 * What a prompt held when it was read: its messages, what each holds, and what each part of one holds. What lies deeper goes out as
 * the host has it, whenever that is.
 */
export class PromptCopy {
  readonly #levels: readonly Shallow[];

  /** @param prompt the messages; not kept */
  constructor(prompt: readonly unknown[]) {
    this.#levels = [...levelsOf(prompt)];
  }

  /** Whether a prompt still holds the same: a host that calls a model itself may add to it, or edit it. */
  isOf(prompt: readonly unknown[]): boolean {
    let at = 0;
    for (const level of levelsOf(prompt)) {
      const before = this.#levels[at];
      if (before?.length !== level.length || level.some((value, index) => value !== before[index]))
        return false;
      at += 1;
    }
    return at === this.#levels.length;
  }
}

function* levelsOf(prompt: readonly unknown[]): Generator<Shallow> {
  yield [...prompt];
  for (const message of prompt) {
    if (!isObject(message)) continue;
    const { content } = message;
    yield Object.values(message);
    if (!Array.isArray(content)) continue;
    const parts: Shallow = [...content];
    yield parts;
    for (const part of parts) if (isObject(part)) yield Object.values(part);
  }
}
