import { digestKey } from '../conversation/digest.js';
import type { BlockDigests } from './block-digests.js';
import type { AnswerParts, FormatShape, MessageRole } from './format-shape.js';
import { isObjects } from './json-values.js';
import { isObject } from '../values.js';

/** The functions of a shape that read single messages. */
export type MessageShape<Message extends object, Part extends object> = Pick<
  FormatShape<unknown, Message, Part>,
  'role' | 'parts' | 'textOf' | 'resultOf' | 'keyOf' | 'results' | 'answer'
>;

/**
 * Reads single messages by the functions of a shape. Hosts and their stores make messages that no type allows; one of them is no
 * reason to take away what the others carry, so it is left as it is: what a function cannot read, or throws at, is odd.
 */
export class MessageReader<Message extends object, Part extends object> {
  readonly #shape: MessageShape<Message, Part>;
  readonly #digests: BlockDigests;

  /**
   * @param shape what is particular to the API
   * @param digests name what is odd
   */
  constructor(shape: MessageShape<Message, Part>, digests: BlockDigests) {
    this.#shape = shape;
    this.#digests = digests;
  }

  /** Who a message is from; `other` for what is no message. */
  role(message: Message | undefined): MessageRole {
    const role: unknown = isObject(message) ? orElse(() => this.#shape.role(message), 'other') : 'other';
    return role === 'user' || role === 'assistant' || role === 'tool' ? role : 'other';
  }

  /** What a user message holds; `undefined` when it is odd. */
  parts(message: Message | undefined): readonly Part[] | undefined {
    if (!isObject(message)) return undefined;
    const parts = orElse(() => this.#shape.parts(message), undefined);
    return isObjects(parts) ? parts : undefined;
  }

  /** A part's text; `undefined` when it is of another kind. */
  textOf(part: Part | undefined): string | undefined {
    return part === undefined ? undefined : asText(() => this.#shape.textOf(part));
  }

  /** The id of the call that a part answers. */
  resultOf(part: Part): string | undefined {
    return asText(() => this.#shape.resultOf?.(part));
  }

  /** What names a part that holds no text; `undefined` when all of it does. */
  keyOf(part: Part): string | undefined {
    return asText(() => this.#shape.keyOf?.(part));
  }

  /** The ids of the calls that a tool message answers. */
  results(message: Message): readonly string[] {
    return orElse(() => asIds(this.#shape.results(message)), undefined) ?? [this.#nameOf(message)];
  }

  /** What names a message of the model's. */
  answer(message: Message): AnswerParts {
    const read = orElse(() => {
      const { text, calls, textOnly, compacts, byProgram }: Loose<AnswerParts> = this.#shape.answer(message);
      const ids = asIds(calls);
      if (ids === undefined) return undefined;
      return {
        text: typeof text === 'string' ? text : '',
        calls: ids,
        textOnly: textOnly === true,
        compacts: compacts === true,
        byProgram: byProgram === true,
      };
    }, undefined);
    return read ?? { text: '', calls: [this.#nameOf(message)], textOnly: false };
  }

  #nameOf(message: Message): string {
    return digestKey(this.#digests.ofAll(message));
  }
}

/** What a function written in JavaScript may give. */
type Loose<Value> = { readonly [Key in keyof Value]?: unknown };

/** Ids as texts; `undefined` for what is no list. */
function asIds(ids: unknown): readonly string[] | undefined {
  // Holes, which `map` passes over, count too.
  return Array.isArray(ids) ? Array.from(ids as readonly unknown[], String) : undefined;
}

function orElse<Value>(read: () => Value, otherwise: Value): Value {
  try {
    return read();
  } catch {
    return otherwise;
  }
}

/** The types promise a text, and what a host wrote in JavaScript may give anything. */
function asText(read: () => unknown): string | undefined {
  const text = orElse(read, undefined);
  return typeof text === 'string' ? text : undefined;
}
