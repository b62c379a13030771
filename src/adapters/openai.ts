import { chatFormat } from '../formats/openai-chat.js';
import { responsesFormat } from '../formats/openai-responses.js';
import type { FormatOptions } from '../formats/format-shape.js';
import type { RequestFormat } from '../formats/request-format.js';
import type { Conversation, Prepared, PrepareOptions } from '../injector.js';

export { chatFormat, responsesFormat };
export type { ChatMessage, ChatPart, ChatRequest } from '../formats/openai-chat.js';
export type { ResponsesItem, ResponsesPart, ResponsesRequest } from '../formats/openai-responses.js';
export { withInstructionsFetch, type Fetch, type FetchOptions } from './openai/instructions-fetch.js';

/** Options of {@link prepareChat} and {@link prepareResponses}. */
export interface PrepareOpenAIOptions extends FormatOptions {
  /** Ends this call's wait for servers that are still connecting. */
  readonly signal?: AbortSignal | null | undefined;
  /** `false` plans without recording, for requests that are not answered. @default true */
  readonly record?: boolean | undefined;
}

/**
 * Puts what the model must know into a request of Chat Completions.
 *
 * @param conversation whose request it is
 * @param request the request body; never changed
 * @param options see {@link PrepareOpenAIOptions}
 * @returns the request to send, what it carries, and how to say what became of it
 */
export async function prepareChat<Request extends { readonly messages: readonly object[] }>(
  conversation: Pick<Conversation, 'prepare'>,
  request: Request,
  options: PrepareOpenAIOptions = {},
): Promise<Prepared<Request>> {
  return await conversation.prepare(request, withFormat<Request>(chatFormat(options), options));
}

/**
 * Puts what the model must know into a request of the Responses API. Pass the answer to `commit({ message })` when a later request
 * goes on from it by `previous_response_id` or `conversation`.
 *
 * @param conversation whose request it is
 * @param request the request body; never changed
 * @param options see {@link PrepareOpenAIOptions}
 * @returns the request to send, what it carries, and how to say what became of it
 */
export async function prepareResponses<Request extends object>(
  conversation: Pick<Conversation, 'prepare'>,
  request: Request,
  options: PrepareOpenAIOptions = {},
): Promise<Prepared<Request>> {
  return await conversation.prepare(request, withFormat<Request>(responsesFormat(options), options));
}

function withFormat<Request>(format: object, options: PrepareOpenAIOptions): PrepareOptions<Request> {
  const { signal, record } = options;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a format asks `accepts` before it reads, and changes only messages
  return { signal, record, format: format as RequestFormat<Request> };
}
