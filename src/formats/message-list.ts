import { chainDigest, digestText, type Digest } from '../conversation/digest.js';
import type { AssistantTurn, Placement, Reading, UserTurn } from '../conversation/reading.js';
import { AnswerRun } from './answer-run.js';
import { BlockDigests, TAG } from './block-digests.js';
import type { FormatOptions, FormatShape } from './format-shape.js';
import type { Answer, RequestFormat } from './request-format.js';

/** Where the digests of a user message and of a run of tool messages start. */
const USER_START: Digest = digestText('', TAG.user);
const TOOL_START: Digest = digestText('', TAG.toolResult);
/** The slot of a block that is a message of its own, after the message it is placed at. */
const OWN_MESSAGE = -1;
const NO_TEXTS: readonly string[] = [];

type IsBlock = (text: string) => boolean;

/** The part of a user message's content, or the run of messages, that holds blocks of ours. */
interface Place {
  readonly start: number;
  readonly end: number;
}

/** A format for any API whose request is a list of messages; what is particular to the API is in its shape. */
export class MessageListFormat<
  Request,
  Message extends object,
  Part extends object,
> implements RequestFormat<Request> {
  readonly name: string;
  readonly #shape: FormatShape<Request, Message, Part>;
  readonly #holdsAfterTools: boolean;
  readonly #digests = new BlockDigests();

  constructor(shape: FormatShape<Request, Message, Part>, { afterTools = 'message' }: FormatOptions) {
    this.name = shape.name;
    this.#shape = shape;
    this.#holdsAfterTools = afterTools === 'hold';
  }

  accepts(request: unknown): request is Request {
    return this.#shape.accepts(request);
  }

  read(request: Request, isBlock: IsBlock): Reading {
    const turns: (UserTurn | AssistantTurn)[] = [];
    const messages = this.#shape.messages(request);
    let answer: AnswerRun<Message> | undefined;
    for (let index = 0; index < messages.length; index += 1) {
      const message = messages[index];
      const role = message === undefined ? 'other' : this.#shape.role(message);
      if (message === undefined || role === 'other') continue;
      if (role === 'assistant') {
        answer ??= new AnswerRun(this.#digests);
        answer.add(message, this.#shape.answer(message));
        continue;
      }
      if (answer !== undefined) turns.push(answer.turn());
      answer = undefined;
      if (role === 'user') {
        turns.push(this.#readUser(index, message, isBlock));
        continue;
      }
      const last = this.#lastOfRun(messages, index);
      const place = this.#ownMessages(messages, last, isBlock);
      turns.push(this.#readTools(messages, index, last, place));
      index = Math.max(last, place.end - 1);
    }
    if (answer !== undefined) turns.push(answer.turn());
    return { turns, continues: this.#shape.continues?.(request) };
  }

  write(request: Request, placements: readonly Placement[]): Request {
    if (placements.length === 0) return request;
    const shape = this.#shape;
    const messages = [...shape.messages(request)];
    let inserted = 0;
    for (const { index, slot, text } of placements) {
      const at = index + inserted;
      const message = messages[at];
      if (message === undefined) continue;
      const block = shape.textPart(text);
      if (slot === OWN_MESSAGE) {
        messages.splice(at + 1, 0, shape.userMessage([block]));
        inserted += 1;
      } else {
        const parts = shape.parts(message);
        messages[at] = shape.withParts(message, [...parts.slice(0, slot), block, ...parts.slice(slot)]);
      }
    }
    return shape.withMessages(request, messages);
  }

  strip(request: Request, isBlock: IsBlock): Request {
    const shape = this.#shape;
    const messages = shape.messages(request);
    const kept: Message[] = [];
    let isChanged = false;
    for (let index = 0; index < messages.length; index += 1) {
      const message = messages[index];
      if (message === undefined) continue;
      const role = shape.role(message);
      if (role === 'tool') {
        kept.push(message);
        if (this.#lastOfRun(messages, index) !== index) continue;
        const { end } = this.#ownMessages(messages, index, isBlock);
        isChanged ||= end > index + 1;
        index = end - 1;
        continue;
      }
      const parts = role === 'user' ? shape.parts(message) : [];
      const { start, end } = this.#place(parts, isBlock);
      isChanged ||= end > start;
      kept.push(
        end > start ? shape.withParts(message, [...parts.slice(0, start), ...parts.slice(end)]) : message,
      );
    }
    return isChanged ? shape.withMessages(request, kept) : request;
  }

  readAnswer(answer: unknown): Answer | undefined {
    const read = this.#shape.readAnswer?.(answer);
    if (read === undefined) return undefined;
    const run = new AnswerRun<Message>(this.#digests);
    for (const message of read.messages) run.add(message, this.#shape.answer(message));
    return { ids: read.ids, turn: run.turn() };
  }

  /** The last message of a run of tool messages, whatever system messages stand between them. */
  #lastOfRun(messages: readonly Message[], first: number): number {
    let last = first;
    for (let at = first + 1; at < messages.length; at += 1) {
      const message = messages[at];
      const role = message === undefined ? 'other' : this.#shape.role(message);
      if (role === 'tool') last = at;
      else if (role !== 'other') break;
    }
    return last;
  }

  /** The messages right after a tool message that hold blocks of ours and nothing else. */
  #ownMessages(messages: readonly Message[], last: number, isBlock: IsBlock): Place {
    let end = last + 1;
    for (; end < messages.length; end += 1) {
      const message = messages[end];
      if (message === undefined || this.#shape.role(message) !== 'user') break;
      const texts = this.#shape.parts(message).map((part) => this.#shape.textOf(part));
      if (texts.length === 0 || !texts.every((text) => text !== undefined && isBlock(text))) break;
    }
    return { start: last + 1, end };
  }

  #readTools(messages: readonly Message[], first: number, last: number, place: Place): UserTurn {
    let digest = TOOL_START;
    for (const message of messages.slice(first, last + 1)) {
      if (this.#shape.role(message) !== 'tool') continue;
      for (const id of this.#shape.results(message)) {
        digest = chainDigest(digest, digestText(id, TAG.toolResult));
      }
    }
    const stored = messages.slice(place.start, place.end).flatMap((message) => this.#textsOf(message));
    return {
      role: 'user',
      index: place.end - 1,
      digest,
      solid: !this.#holdsAfterTools,
      answersTool: true,
      stored,
      slot: OWN_MESSAGE,
    };
  }

  #textsOf(message: Message): readonly string[] {
    return this.#shape.parts(message).flatMap((part) => this.#shape.textOf(part) ?? NO_TEXTS);
  }

  /** Our place in a user message: after the last tool result, else at the start. */
  #place(parts: readonly Part[], isBlock: IsBlock): Place {
    const shape = this.#shape;
    const start = parts.findLastIndex((part) => shape.resultOf?.(part) !== undefined) + 1;
    let end = start;
    for (; end < parts.length; end += 1) {
      const part = parts[end];
      const text = part === undefined ? undefined : shape.textOf(part);
      if (text === undefined || !isBlock(text)) break;
    }
    const isLast = start === 0 && parts.slice(end).every((part) => shape.textOf(part) === '');
    // We put blocks only before something of the host's: the last one is its own text, whatever it looks like.
    return { start, end: isLast ? Math.max(0, end - 1) : end };
  }

  #readUser(index: number, message: Message, isBlock: IsBlock): UserTurn {
    const parts = this.#shape.parts(message);
    const { start, end } = this.#place(parts, isBlock);
    let digest = USER_START;
    let solid = false;
    for (const [at, part] of parts.entries()) {
      if (at >= start && at < end) continue;
      const next = this.#digestPart(part);
      if (next === undefined) continue;
      solid = true;
      digest = chainDigest(digest, next);
    }
    const stored = parts.slice(start, end).flatMap((part) => this.#shape.textOf(part) ?? NO_TEXTS);
    return { role: 'user', index, digest, solid, answersTool: start > 0, stored, slot: end };
  }

  /** @returns `undefined` for an empty text, which counts as nothing */
  #digestPart(part: Part): Digest | undefined {
    const text = this.#shape.textOf(part);
    if (text !== undefined) return text === '' ? undefined : this.#digests.of(part, text, TAG.text);
    const result = this.#shape.resultOf?.(part);
    if (result !== undefined) return digestText(result, TAG.toolResult);
    const key = this.#shape.keyOf?.(part);
    return key === undefined ? this.#digests.ofAll(part) : this.#digests.of(part, key, TAG.other);
  }
}

/**
 * Makes a format from the few functions that tell one API's messages from another's.
 *
 * @param shape what is particular to the API
 * @param options see {@link FormatOptions}
 */
export function defineFormat<Request, Message extends object, Part extends object>(
  shape: FormatShape<Request, Message, Part>,
  options: FormatOptions = {},
): RequestFormat<Request> {
  return new MessageListFormat(shape, options);
}
