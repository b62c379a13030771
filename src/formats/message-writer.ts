import type { FormatShape } from './format-shape.js';
import type { MessageReader } from './message-reader.js';

/** The functions of a shape that make messages. */
type WritingShape<Message extends object, Part extends object> = Pick<
  FormatShape<unknown, Message, Part>,
  'withParts' | 'userMessage' | 'textPart'
>;

/**
 * Makes single messages by the functions of a shape. What a function throws at, or gives something odd for, is no message: nothing of it
 * gets into a request.
 */
export class MessageWriter<Message extends object, Part extends object> {
  readonly #shape: WritingShape<Message, Part>;
  readonly #reader: MessageReader<Message, Part>;

  /**
   * @param shape what is particular to the API
   * @param reader reads back what was made
   */
  constructor(shape: WritingShape<Message, Part>, reader: MessageReader<Message, Part>) {
    this.#shape = shape;
    this.#reader = reader;
  }

  /**
   * The same message with one part more.
   *
   * @param slot where it goes
   * @returns `undefined` when the message can take none
   */
  withText(message: Message, slot: number, text: string): Message | undefined {
    return this.#made(text, () => {
      const parts = this.#reader.parts(message) ?? [];
      return this.#shape.withParts(message, parts.toSpliced(slot, 0, this.#shape.textPart(text)));
    });
  }

  /** A message that holds a text and nothing else; `undefined` when none can be made. */
  ownMessage(text: string): Message | undefined {
    return this.#made(text, () => this.#shape.userMessage([this.#shape.textPart(text)]));
  }

  /** The same message without some of its parts, or as it is when it cannot be had. */
  without(message: Message, parts: readonly Part[], start: number, end: number): Message {
    const left = parts.toSpliced(start, end - start);
    try {
      const made = this.#shape.withParts(message, left);
      return this.#reader.parts(made)?.length === left.length ? made : message;
    } catch {
      return message;
    }
  }

  #made(text: string, make: () => Message): Message | undefined {
    try {
      const made = make();
      const parts = this.#reader.role(made) === 'user' ? this.#reader.parts(made) : undefined;
      return parts?.some((part) => this.#reader.textOf(part) === text) === true ? made : undefined;
    } catch {
      return undefined;
    }
  }
}
