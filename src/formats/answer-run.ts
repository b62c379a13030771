import { chainDigest, digestText, type Digest } from '../conversation/digest.js';
import type { AssistantTurn } from '../conversation/reading.js';
import { type BlockDigests, NO_ANSWER, TAG } from './block-digests.js';
import type { AnswerParts } from './format-shape.js';

/**
 * The messages of one answer. Some APIs give an answer as several messages and some hosts merge them, so all that stands between two
 * user messages counts as one.
 */
export class AnswerRun<Message extends object> {
  readonly #digests: BlockDigests;
  readonly #texts: string[] = [];
  readonly #calls: string[] = [];
  #holder: Message | undefined;
  #textOnly = true;
  #compacts = false;
  /** Whether a program of the model made one of the calls. */
  isByProgram = false;

  /** @param digests remembers what was digested */
  constructor(digests: BlockDigests) {
    this.#digests = digests;
  }

  /** Takes in a message of the model. */
  add(message: Message, { text, calls, textOnly, compacts = false, byProgram = false }: AnswerParts): void {
    if (text !== '') {
      this.#texts.push(text);
      this.#holder ??= message;
    }
    // Not spread: so many arguments can overflow the stack.
    for (const id of calls) this.#calls.push(id);
    this.#textOnly &&= textOnly;
    this.#compacts ||= compacts;
    this.isByProgram ||= byProgram;
  }

  /** All of it as one turn. */
  turn(): AssistantTurn {
    return {
      role: 'assistant',
      digest: this.#digest(),
      textOnly: this.#textOnly,
      compacts: this.#compacts,
    };
  }

  #digest(): Digest | undefined {
    const holder = this.#texts.length === 1 ? this.#holder : undefined;
    let digest =
      this.#texts.length === 0
        ? NO_ANSWER
        : this.#digests.of(holder ?? this.#texts, this.#texts.join(''), TAG.answer);
    if (this.#calls.length === 0 && digest.high === NO_ANSWER.high && digest.low === NO_ANSWER.low) {
      return undefined;
    }
    for (const id of this.#calls) {
      digest = chainDigest(digest, digestText(id, TAG.toolResult));
    }
    return digest;
  }
}
