import { chainDigest, digestText, type Digest } from '../conversation/digest.js';
import type { AssistantTurn, Placement, Reading, UserTurn } from '../conversation/reading.js';
import { BlockDigests, NO_ANSWER, TAG } from './block-digests.js';
import { KnownTurns } from './known-turns.js';
import type { MessagesBlock, MessagesMessage, MessagesRequest } from './messages-request.js';
import { answersProgram, programCalls } from './program-calls.js';
import type { Answer, RequestFormat } from './request-format.js';
import { ReuseWatch } from './reuse-watch.js';
import { isObject, isPlain } from '../values.js';

export type { MessagesBlock, MessagesMessage, MessagesRequest } from './messages-request.js';

const EMPTY_TEXT = '';
const NO_TEXTS: readonly string[] = [];
/** Where the digest of a user message starts. */
const USER_START: Digest = digestText(EMPTY_TEXT, TAG.user);

function isNoAnswer(digest: Digest): boolean {
  return digest.high === NO_ANSWER.high && digest.low === NO_ANSWER.low;
}

function isMessage(message: unknown): message is MessagesMessage {
  if (!isObject(message) || typeof message['role'] !== 'string') return false;
  // A copy of an instance of a class would be another thing: it is left as it is.
  if (!isPlain(message)) return false;
  const content = message['content'];
  return typeof content === 'string' || (Array.isArray(content) && isBlocks(content));
}

/** Not `every`, which passes over holes. */
function isBlocks(content: readonly unknown[]): content is readonly MessagesBlock[] {
  for (let at = 0; at < content.length; at += 1) if (!isObject(content[at])) return false;
  return true;
}

/** Where our place begins: after the last tool result, else at the start. */
function placeStart(content: readonly MessagesBlock[]): number {
  for (let at = content.length - 1; at >= 0; at -= 1) {
    if (content[at]?.type === 'tool_result') return at + 1;
  }
  return 0;
}

/** Where the run of our stored blocks at our place ends; its start when there is none. */
function storedEnd(
  content: readonly MessagesBlock[],
  start: number,
  isBlock: (text: string) => boolean,
): number {
  let end = start;
  for (; end < content.length; end += 1) {
    const block = content[end];
    if (block?.type !== 'text' || typeof block.text !== 'string' || !isBlock(block.text)) break;
  }
  if (start > 0 || end === 0 || content.slice(end).some((block) => !isEmptyText(block))) return end;
  // We put blocks only before something of the host's: the last one is its own text, whatever it looks like.
  return end - 1;
}

function isEmptyText(block: MessagesBlock): boolean {
  return block.type === 'text' && block.text === EMPTY_TEXT;
}

function threadContinues(thread: unknown): string | undefined {
  if (!isObject(thread) || thread['type'] !== 'continue') return undefined;
  const id = thread['previous_message_id'];
  // Without an id nothing is known of the thread, which is what an unknown id says.
  return typeof id === 'string' ? id : '';
}

/** The Messages API of Anthropic, on every platform that serves it. */
export class AnthropicMessages implements RequestFormat<MessagesRequest> {
  readonly name = 'anthropic-messages';
  readonly #digests = new BlockDigests();
  readonly #turns = new KnownTurns();
  readonly #reuse = new ReuseWatch();

  accepts(request: unknown): request is MessagesRequest {
    if (!isObject(request) || !isPlain(request) || !Array.isArray(request['messages'])) return false;
    const messages: readonly unknown[] = request['messages'];
    // A server-held thread that stopped in the middle of an answer goes on without a message.
    if (messages.length === 0) return threadContinues(request['thread']) !== undefined;
    // An odd message is left as it is; it is no reason to take away what the others carry.
    return true;
  }

  read(request: MessagesRequest, isBlock: (text: string) => boolean): Reading {
    const turns: (UserTurn | AssistantTurn)[] = [];
    const { messages } = request;
    const isReused = this.#reuse.isReused(messages);
    this.#digests.isRemembering = isReused;
    const known = isReused ? this.#turns.historyOf(messages) : undefined;
    // Of the newest answer. What is known has none.
    let calls: ReadonlySet<unknown> | undefined;
    for (let index = 0; index < messages.length; index += 1) {
      const message = messages[index];
      let turn = message === undefined ? undefined : known?.find(index, message);
      const isKnown = turn !== undefined;
      if (!isKnown && isMessage(message)) {
        turn = this.#readMessage(index, message, isBlock);
        known?.keep(index, message, turn);
      } else if (!isKnown) turn = this.#readOdd(index, message);
      if (turn?.role === 'assistant') calls = isKnown ? undefined : programCalls(message);
      else if (turn !== undefined && calls !== undefined && answersProgram(message, calls)) {
        turn = { ...turn, solid: false };
      }
      if (turn !== undefined) turns.push(turn);
    }
    return { turns, continues: threadContinues(request.thread) };
  }

  write(request: MessagesRequest, placements: readonly Placement[]): MessagesRequest {
    if (placements.length === 0) return request;
    const messages = request.messages.slice();
    for (const { index, slot, text } of placements) {
      const message = messages[index];
      if (message === undefined) continue;
      const content =
        typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : message.content;
      const block = { type: 'text', text };
      messages[index] = { ...message, content: [...content.slice(0, slot), block, ...content.slice(slot)] };
    }
    return { ...request, messages };
  }

  strip(request: MessagesRequest, isBlock: (text: string) => boolean): MessagesRequest {
    let changed = false;
    const messages = request.messages.map((message) => {
      if (!isMessage(message) || message.role !== 'user' || typeof message.content === 'string')
        return message;
      const start = placeStart(message.content);
      const end = storedEnd(message.content, start, isBlock);
      if (end === start) return message;
      changed = true;
      return { ...message, content: [...message.content.slice(0, start), ...message.content.slice(end)] };
    });
    return changed ? { ...request, messages } : request;
  }

  /** Reads a message of the model, as the API gave it. */
  readAnswer(answer: unknown): Answer | undefined {
    if (!isObject(answer) || typeof answer['id'] !== 'string') return undefined;
    const message = { role: 'assistant', content: answer['content'] };
    if (!isMessage(message)) return undefined;
    return { ids: [answer['id']], turn: this.#readAssistant(message) };
  }

  #readMessage(
    index: number,
    message: MessagesMessage,
    isBlock: (text: string) => boolean,
  ): UserTurn | AssistantTurn | undefined {
    if (message.role === 'user') return this.#readUser(index, message, isBlock);
    return message.role === 'assistant' ? this.#readAssistant(message) : undefined;
  }

  /** A message whose content is of no known kind: nothing is put into it, and it counts as what it is. */
  #readOdd(index: number, message: unknown): UserTurn | AssistantTurn | undefined {
    if (!isObject(message)) return undefined;
    const { role, content } = message;
    const digest = chainDigest(USER_START, this.#digests.ofAll({ content }));
    if (role === 'assistant') return { role, digest, textOnly: false, compacts: false };
    if (role !== 'user') return undefined;
    return { role, index, digest, solid: false, answersTool: false, stored: NO_TEXTS, slot: 0 };
  }

  #readUser(index: number, message: MessagesMessage, isBlock: (text: string) => boolean): UserTurn {
    const { content } = message;
    if (typeof content === 'string') {
      const solid = content !== EMPTY_TEXT;
      const digest = solid
        ? chainDigest(USER_START, this.#digests.of(message, content, TAG.text))
        : USER_START;
      return { role: 'user', index, digest, solid, answersTool: false, stored: NO_TEXTS, slot: 0 };
    }
    const start = placeStart(content);
    const end = storedEnd(content, start, isBlock);
    let digest = USER_START;
    let solid = false;
    for (let at = 0; at < content.length; at += 1) {
      const block = content[at];
      if (block === undefined || (at >= start && at < end)) continue;
      if (isEmptyText(block)) continue;
      solid = true;
      digest = chainDigest(digest, this.#digestBlock(block));
    }
    const stored =
      end === start
        ? NO_TEXTS
        : content.slice(start, end).flatMap(({ text }) => (typeof text === 'string' ? [text] : []));
    return { role: 'user', index, digest, solid, answersTool: start > 0, stored, slot: end };
  }

  #digestBlock(block: MessagesBlock): Digest {
    if (block.type === 'text' && typeof block.text === 'string') {
      return this.#digests.of(block, block.text, TAG.text);
    }
    if (block.type === 'tool_result') {
      return this.#digests.of(block, String(block.tool_use_id), TAG.toolResult);
    }
    return this.#digests.ofAll(block);
  }

  #readAssistant(message: MessagesMessage): AssistantTurn {
    const { content } = message;
    if (typeof content === 'string') {
      const digest = this.#digestAnswer(message, content, []);
      return { role: 'assistant', digest, textOnly: true, compacts: false };
    }
    const texts: string[] = [];
    const calls: MessagesBlock[] = [];
    let textOnly = true;
    let compacts = false;
    let first: MessagesBlock | undefined;
    for (const block of content) {
      if (block.type === 'text' && typeof block.text === 'string') {
        first ??= block;
        texts.push(block.text);
      } else textOnly = false;
      if (block.type === 'tool_use') calls.push(block);
      // Without content it is a compaction that failed, which changes nothing.
      if (block.type === 'compaction' && block.content !== undefined && block.content !== null)
        compacts = true;
    }
    // Hosts merge the text blocks of an answer, so it counts as one text however it is divided.
    const holder = first !== undefined && texts.length === 1 ? first : message;
    const digest = this.#digestAnswer(holder, texts.join(''), calls);
    return { role: 'assistant', digest, textOnly, compacts };
  }

  #digestAnswer(holder: object, text: string, calls: readonly MessagesBlock[]): Digest | undefined {
    const answer = this.#digests.of(holder, text, TAG.answer);
    if (calls.length === 0 && isNoAnswer(answer)) return undefined;
    let digest = answer;
    for (const call of calls) {
      digest = chainDigest(digest, this.#digests.of(call, String(call.id), TAG.toolResult));
    }
    return digest;
  }
}
