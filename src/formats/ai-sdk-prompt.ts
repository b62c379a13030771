import { dataKey } from './data-key.js';
import type { AnswerParts, FormatOptions, FormatShape } from './format-shape.js';
import { idsIn, isObjects, textIn } from './json-values.js';
import { isObject } from '../values.js';
import { defineFormat } from './message-list.js';
import { listIn, withFields } from './plain-data.js';
import type { RequestFormat } from './request-format.js';

/** A part of a message, as far as this format looks at it. */
export interface PromptPart {
  readonly type: string;
  readonly text?: unknown;
}

/** A message of a prompt as the AI SDK hands it to a model, as far as this format looks at it. */
export interface PromptMessage {
  readonly role: string;
  readonly content: unknown;
}

/** What the AI SDK hands to a model, as far as this format looks at it. */
export interface PromptRequest {
  readonly prompt: readonly PromptMessage[];
  /** The id of the model. */
  readonly model?: unknown;
}

const TEXT: ReadonlySet<unknown> = new Set(['text']);

function isParts(content: unknown): content is readonly PromptPart[] {
  return isObjects(content);
}

/** The parts of a message, without what is none. */
function partsOf({ content }: PromptMessage): readonly Record<string, unknown>[] {
  return Array.isArray(content) ? content.filter(isObject) : [];
}

function answerOf(message: PromptMessage): AnswerParts {
  const parts = partsOf(message);
  return {
    text: parts.map((part) => textIn(part, TEXT) ?? '').join(''),
    calls: [...new Set(idsIn(parts, 'toolCallId'))],
    textOnly: parts.every(({ type }) => type === 'text'),
    byProgram: parts.some(isProgramCall),
  };
}

/** A call that a program of the model made, as the provider of Anthropic marks it. */
function isProgramCall({ type, providerOptions }: Record<string, unknown>): boolean {
  const anthropic = isObject(providerOptions) ? providerOptions['anthropic'] : undefined;
  const caller = isObject(anthropic) ? anthropic['caller'] : undefined;
  return type === 'tool-call' && isObject(caller) && caller['type'] !== 'direct';
}

const shape: FormatShape<PromptRequest, PromptMessage, PromptPart> = {
  name: 'ai-sdk',
  accepts: (request): request is PromptRequest => listIn(request, 'prompt').length > 0,
  messages: ({ prompt }) => prompt,
  withMessages: (request, prompt) => ({ ...request, prompt }),
  role: ({ role }) => (role === 'user' || role === 'assistant' || role === 'tool' ? role : 'other'),
  parts: ({ content }) => (isParts(content) ? content : undefined),
  withParts: (message, content) => withFields(message, { content }),
  userMessage: (content) => ({ role: 'user', content }),
  textPart: (text) => ({ type: 'text', text }),
  textOf: (part) => textIn(part, TEXT),
  results: (message) => {
    const parts = partsOf(message);
    return [...idsIn(parts, 'toolCallId'), ...idsIn(parts, 'approvalId')];
  },
  answer: answerOf,
  keyOf: (part) =>
    isObject(part)
      ? [part['type'], part['mediaType'], part['filename']].map(String).join(' ') + dataKey(part['data'])
      : '',
};

/**
 * The prompt that the AI SDK hands to a model, whatever the provider.
 *
 * @param options see {@link FormatOptions}
 */
export function promptFormat(options?: FormatOptions): RequestFormat<PromptRequest> {
  return defineFormat(shape, options);
}
