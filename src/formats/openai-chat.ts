import type { AnswerParts, FormatOptions, FormatShape } from './format-shape.js';
import { idsIn, isObjects, textIn } from './json-values.js';
import { isObject } from '../values.js';
import { defineFormat } from './message-list.js';
import { listIn, withFields } from './plain-data.js';
import type { RequestFormat } from './request-format.js';

/** A part of a user message's content, as far as this format looks at it. */
export interface ChatPart {
  readonly type?: string;
  readonly text?: unknown;
}

/** A message of Chat Completions, as far as this format looks at it. */
export interface ChatMessage {
  readonly role: string;
  readonly content?: unknown;
  readonly tool_calls?: unknown;
  readonly tool_call_id?: unknown;
}

/** A request body of Chat Completions, as far as this format looks at it. */
export interface ChatRequest {
  readonly messages: readonly ChatMessage[];
  readonly model?: unknown;
}

const SAID: ReadonlySet<unknown> = new Set(['text', 'refusal']);
const PROMPT: ReadonlySet<unknown> = new Set(['text']);

function answerOf({ content, ...message }: ChatMessage): AnswerParts {
  const parts = Array.isArray(content) ? content.filter(isObject) : [];
  const calls = Array.isArray(message.tool_calls) ? message.tool_calls : [];
  return {
    text: typeof content === 'string' ? content : parts.map((part) => textIn(part, SAID) ?? '').join(''),
    calls: idsIn(calls, 'id'),
    textOnly: calls.length === 0 && !('function_call' in message && isObject(message.function_call)),
  };
}

const shape: FormatShape<ChatRequest, ChatMessage, ChatPart> = {
  name: 'openai-chat',
  accepts: (request): request is ChatRequest => listIn(request, 'messages').length > 0,
  messages: (request) => request.messages,
  withMessages: (request, messages) => ({ ...request, messages }),
  role: ({ role }) => {
    if (role === 'user' || role === 'assistant' || role === 'tool') return role;
    return role === 'function' ? 'tool' : 'other';
  },
  parts: ({ content }) => {
    if (typeof content === 'string') return [{ type: 'text', text: content }];
    return isObjects(content) ? content : undefined;
  },
  withParts: (message, content) => withFields(message, { content }),
  userMessage: (content) => ({ role: 'user', content }),
  textPart: (text) => ({ type: 'text', text }),
  textOf: (part) => textIn(part, PROMPT),
  results: (message) => [String(message.tool_call_id)],
  answer: answerOf,
};

/**
 * Chat Completions of OpenAI, and of every endpoint that speaks it.
 *
 * @param options see {@link FormatOptions}
 */
export function chatFormat(options?: FormatOptions): RequestFormat<ChatRequest> {
  return defineFormat(shape, options);
}
