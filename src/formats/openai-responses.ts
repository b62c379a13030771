import type { AnswerParts, FormatOptions, FormatShape, MessageRole } from './format-shape.js';
import { isObjects, textIn } from './json-values.js';
import { isObject, isPlain } from '../values.js';
import { defineFormat } from './message-list.js';
import { withFields } from './plain-data.js';
import type { RequestFormat } from './request-format.js';

/** A part of a message's content, as far as this format looks at it. */
export interface ResponsesPart {
  readonly type?: string;
  readonly text?: unknown;
}

/** An item of the input, as far as this format looks at it. */
export interface ResponsesItem {
  readonly type?: unknown;
  readonly role?: unknown;
  readonly content?: unknown;
  readonly call_id?: unknown;
  readonly id?: unknown;
}

/** A request body of the Responses API, as far as this format looks at it. */
export interface ResponsesRequest {
  readonly input?: unknown;
  readonly model?: unknown;
  readonly previous_response_id?: unknown;
  readonly conversation?: unknown;
}

/** Types of what a message of the model's says in words. */
const SAID: ReadonlySet<unknown> = new Set(['output_text', 'input_text', 'text']);
/** Types of what a user writes. */
const PROMPT: ReadonlySet<unknown> = new Set(['input_text']);
/** Answers to the model's calls whose type does not end in `_output`. */
const ANSWERS: ReadonlySet<unknown> = new Set(['mcp_approval_response']);
/** Items that come from neither side. */
const NEITHER: ReadonlySet<unknown> = new Set(['mcp_list_tools']);

function itemsOf({ input }: ResponsesRequest): readonly ResponsesItem[] {
  if (typeof input === 'string') return [{ role: 'user', content: input }];
  return Array.isArray(input) ? (input as readonly ResponsesItem[]) : [];
}

/** Whether an item stands for one that the API keeps. Its type may be left out. */
function isReference({ type, id }: ResponsesItem): boolean {
  return typeof id === 'string' && (type === 'item_reference' || isNone(type));
}

function isNone(value: unknown): boolean {
  return value === undefined || value === null;
}

function roleOf(item: ResponsesItem): MessageRole {
  const { type, role } = item;
  if (role === 'user' || role === 'assistant') return role;
  if (!isNone(role) || NEITHER.has(type)) return 'other';
  if (isReference(item)) return 'assistant';
  if (typeof type !== 'string') return 'other';
  return type.endsWith('_output') || ANSWERS.has(type) ? 'tool' : 'assistant';
}

function answerOf(item: ResponsesItem): AnswerParts {
  const { type, role, content, call_id: callId, id } = item;
  const parts = Array.isArray(content) ? content.filter(isObject) : [];
  const isMessage = role === 'assistant';
  const said = typeof content === 'string' ? content : parts.map((part) => textIn(part, SAID) ?? '').join('');
  // What a reference stands for may be a call.
  const call = typeof callId === 'string' ? callId : !isMessage && isReference(item) ? id : undefined;
  return {
    text: isMessage ? said : '',
    calls: typeof call === 'string' ? [call] : [],
    textOnly: isMessage,
    compacts: type === 'compaction',
  };
}

/** The id of a conversation, given alone or in an object. */
function idOf(conversation: unknown): string | undefined {
  const id = isObject(conversation) ? conversation['id'] : conversation;
  return typeof id === 'string' ? id : undefined;
}

/**
 * The response or conversation that a request goes on from.
 *
 * @param request a request body of the Responses API
 * @returns `undefined` when it brings its whole history
 */
export function threadOf(request: unknown): string | undefined {
  if (!isObject(request)) return undefined;
  const before = request['previous_response_id'];
  return typeof before === 'string' ? before : idOf(request['conversation']);
}

const shape: FormatShape<ResponsesRequest, ResponsesItem, ResponsesPart> = {
  name: 'openai-responses',
  accepts: (request): request is ResponsesRequest =>
    isObject(request) &&
    isPlain(request) &&
    (typeof request['input'] === 'string' || Array.isArray(request['input'])),
  messages: itemsOf,
  withMessages: (request, input) => ({ ...request, input }),
  role: roleOf,
  parts: ({ content }) => {
    if (typeof content === 'string') return [{ type: 'input_text', text: content }];
    return isObjects(content) ? content : undefined;
  },
  withParts: (item, content) => withFields(item, { content }),
  userMessage: (content) => ({ role: 'user', content }),
  textPart: (text) => ({ type: 'input_text', text }),
  textOf: (part) => textIn(part, PROMPT),
  results: ({ call_id: callId, type, ...item }) => [
    String(callId ?? ('approval_request_id' in item ? item.approval_request_id : type)),
  ],
  answer: answerOf,
  continues: threadOf,
  readAnswer: (answer) => {
    if (!isObject(answer) || typeof answer['id'] !== 'string' || !Array.isArray(answer['output']))
      return undefined;
    const conversation = idOf(answer['conversation']);
    return {
      ids: conversation === undefined ? [answer['id']] : [answer['id'], conversation],
      messages: answer['output'].filter(isObject).filter((item) => roleOf(item) === 'assistant'),
    };
  },
};

/**
 * The Responses API of OpenAI.
 *
 * @param options see {@link FormatOptions}
 */
export function responsesFormat(options?: FormatOptions): RequestFormat<ResponsesRequest> {
  return defineFormat(shape, options);
}
