import { chainDigest, digestText, type Digest } from '../conversation/digest.js';
import type { AssistantTurn, Placement, Reading, UserTurn } from '../conversation/reading.js';
import { AnswerRun } from './answer-run.js';
import { BlockDigests, TAG } from './block-digests.js';
import { checkFormatOptions, checkShape } from './check-format.js';
import type { FormatOptions, FormatShape } from './format-shape.js';
import { MessageReader } from './message-reader.js';
import { MessageWriter } from './message-writer.js';
import type { Answer, RequestFormat } from './request-format.js';
import { isObject } from '../values.js';

/** Where the digests of a user message and of a run of tool messages start. */
const USER_START: Digest = digestText('', TAG.user);
const TOOL_START: Digest = digestText('', TAG.toolResult);
/** The slot of a block that is a message of its own, after the message it is placed at. */
const OWN_MESSAGE = -1;
const NO_TEXTS: readonly string[] = [];
/** Put into a message to see whether it can hold a block. */
const TRIAL = 'block';

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
  readonly #reader: MessageReader<Message, Part>;
  readonly #writer: MessageWriter<Message, Part>;

  constructor(shape: FormatShape<Request, Message, Part>, { afterTools = 'message' }: FormatOptions) {
    this.name = shape.name;
    this.#shape = shape;
    this.#holdsAfterTools = afterTools === 'hold';
    this.#reader = new MessageReader(shape, this.#digests);
    this.#writer = new MessageWriter(shape, this.#reader);
  }

  accepts(request: unknown): request is Request {
    const isAccepted: unknown = this.#shape.accepts(request);
    // A promise says nothing yet.
    return Boolean(isAccepted) && !(isObject(isAccepted) && 'then' in isAccepted);
  }

  read(request: Request, isBlock: IsBlock): Reading {
    const turns: (UserTurn | AssistantTurn)[] = [];
    const messages = this.#shape.messages(request);
    let answer: AnswerRun<Message> | undefined;
    let isForProgram = false;
    for (let index = 0; index < messages.length; index += 1) {
      const message = messages[index];
      const role = this.#reader.role(message);
      if (message === undefined || role === 'other') continue;
      if (role === 'assistant') {
        answer ??= new AnswerRun(this.#digests);
        answer.add(message, this.#reader.answer(message));
        continue;
      }
      if (answer !== undefined) {
        turns.push(answer.turn());
        isForProgram = answer.isByProgram;
      }
      answer = undefined;
      if (role === 'user') {
        turns.push(this.#readUser(index, message, isBlock));
        continue;
      }
      const last = this.#lastOfRun(messages, index);
      const place = this.#ownMessages(messages, last, isBlock);
      const turn = this.#readTools(messages, index, last, place);
      turns.push(isForProgram ? { ...turn, solid: false } : turn);
      index = Math.max(last, place.end - 1);
    }
    if (answer !== undefined) turns.push(answer.turn());
    const continues: unknown = this.#shape.continues?.(request);
    return { turns, continues: typeof continues === 'string' ? continues : undefined };
  }

  write(request: Request, placements: readonly Placement[]): Request {
    if (placements.length === 0) return request;
    const messages = [...this.#shape.messages(request)];
    let inserted = 0;
    for (const { index, slot, text } of placements) {
      const at = index + inserted;
      const message = messages[at];
      if (message === undefined) continue;
      const made =
        slot === OWN_MESSAGE ? this.#writer.ownMessage(text) : this.#writer.withText(message, slot, text);
      if (made === undefined) continue;
      messages.splice(at + (slot === OWN_MESSAGE ? 1 : 0), slot === OWN_MESSAGE ? 0 : 1, made);
      if (slot === OWN_MESSAGE) inserted += 1;
    }
    return this.#withMessages(request, messages);
  }

  strip(request: Request, isBlock: IsBlock): Request {
    const messages = this.#shape.messages(request);
    const kept: Message[] = [];
    /** What is known of the run of tool messages that is walked through: its last one. */
    let last = -1;
    for (let index = 0; index < messages.length; index += 1) {
      const message = messages[index]!;
      const role = this.#reader.role(message);
      kept.push(role === 'user' ? this.#stripped(message, isBlock) : message);
      if (role !== 'tool') continue;
      if (index > last) last = this.#lastOfRun(messages, index);
      if (index === last) index = this.#ownMessages(messages, last, isBlock).end - 1;
    }
    const isChanged = kept.length < messages.length || kept.some((message, at) => message !== messages[at]);
    return isChanged ? this.#withMessages(request, kept) : request;
  }

  readAnswer(answer: unknown): Answer | undefined {
    const read = this.#shape.readAnswer?.(answer);
    if (read === undefined) return undefined;
    const run = new AnswerRun<Message>(this.#digests);
    for (const message of read.messages) run.add(message, this.#reader.answer(message));
    return { ids: read.ids, turn: run.turn() };
  }

  #stripped(message: Message, isBlock: IsBlock): Message {
    const parts = this.#reader.parts(message) ?? [];
    const { start, end } = this.#place(parts, isBlock);
    return end > start ? this.#writer.without(message, parts, start, end) : message;
  }

  /** @throws TypeError when the shape gives no request, so that the one that came goes out */
  #withMessages(request: Request, messages: readonly Message[]): Request {
    const written: unknown = this.#shape.withMessages(request, messages);
    if (!this.accepts(written)) throw new TypeError('`withMessages` gives no request');
    return written;
  }

  /** The last message of a run of tool messages, whatever system messages stand between them. */
  #lastOfRun(messages: readonly Message[], first: number): number {
    let last = first;
    for (let at = first + 1; at < messages.length; at += 1) {
      const role = this.#reader.role(messages[at]);
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
      if (this.#reader.role(message) !== 'user') break;
      const texts = this.#reader.parts(message)?.map((part) => this.#reader.textOf(part));
      if (
        texts === undefined ||
        texts.length === 0 ||
        !texts.every((text) => text !== undefined && isBlock(text))
      )
        break;
    }
    return { start: last + 1, end };
  }

  #readTools(messages: readonly Message[], first: number, last: number, place: Place): UserTurn {
    let digest = TOOL_START;
    for (const message of messages.slice(first, last + 1)) {
      if (this.#reader.role(message) !== 'tool') continue;
      for (const id of this.#reader.results(message)) {
        digest = chainDigest(digest, digestText(id, TAG.toolResult));
      }
    }
    const stored = messages
      .slice(place.start, place.end)
      .flatMap((message) => this.#textsOf(this.#reader.parts(message) ?? []));
    return {
      role: 'user',
      index: place.end - 1,
      digest,
      solid: !this.#holdsAfterTools && this.#writer.ownMessage(TRIAL) !== undefined,
      answersTool: true,
      stored,
      slot: OWN_MESSAGE,
    };
  }

  #textsOf(parts: readonly Part[]): readonly string[] {
    return parts.flatMap((part) => this.#reader.textOf(part) ?? NO_TEXTS);
  }

  /** Our place in a user message: after the last tool result, else at the start. */
  #place(parts: readonly Part[], isBlock: IsBlock): Place {
    const reader = this.#reader;
    const start = parts.findLastIndex((part) => reader.resultOf(part) !== undefined) + 1;
    let end = start;
    for (; end < parts.length; end += 1) {
      const text = reader.textOf(parts[end]);
      if (text === undefined || !isBlock(text)) break;
    }
    const isLast = start === 0 && parts.slice(end).every((part) => reader.textOf(part) === '');
    // We put blocks only before something of the host's: the last one is its own text, whatever it looks like.
    return { start, end: isLast ? Math.max(0, end - 1) : end };
  }

  #readUser(index: number, message: Message, isBlock: IsBlock): UserTurn {
    const parts = this.#reader.parts(message);
    if (parts === undefined) {
      const digest = chainDigest(USER_START, this.#digests.ofAll(message));
      return { role: 'user', index, digest, solid: false, answersTool: false, stored: NO_TEXTS, slot: 0 };
    }
    const { start, end } = this.#place(parts, isBlock);
    let digest = USER_START;
    let isSolid = false;
    for (const [at, part] of parts.entries()) {
      if (at >= start && at < end) continue;
      const next = this.#digestPart(part);
      if (next === undefined) continue;
      isSolid = true;
      digest = chainDigest(digest, next);
    }
    const stored = this.#textsOf(parts.slice(start, end));
    const writer = this.#writer;
    return {
      role: 'user',
      index,
      digest,
      // Asked only of the few messages that a block is for.
      get solid() {
        return isSolid && writer.withText(message, end, TRIAL) !== undefined;
      },
      answersTool: start > 0,
      stored,
      slot: end,
    };
  }

  /** @returns `undefined` for an empty text, which counts as nothing */
  #digestPart(part: Part): Digest | undefined {
    const text = this.#reader.textOf(part);
    if (text !== undefined) return text === '' ? undefined : this.#digests.of(part, text, TAG.text);
    const result = this.#reader.resultOf(part);
    if (result !== undefined) return digestText(result, TAG.toolResult);
    const key = this.#reader.keyOf(part);
    return key === undefined ? this.#digests.ofAll(part) : this.#digests.of(part, key, TAG.other);
  }
}

/**
 * Makes a format from the few functions that tell one API's messages from another's.
 *
 * @param shape what is particular to the API
 * @param options see {@link FormatOptions}
 * @throws InstructionsError `INVALID_OPTION` when one of the functions is missing, or an option has a wrong value
 */
export function defineFormat<Request, Message extends object, Part extends object>(
  shape: FormatShape<Request, Message, Part>,
  options?: FormatOptions,
): RequestFormat<Request> {
  checkShape(shape);
  checkFormatOptions(options);
  return new MessageListFormat(shape, options ?? {});
}
