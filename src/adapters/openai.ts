import { chatFormat } from '../formats/openai-chat.js';
import { responsesFormat } from '../formats/openai-responses.js';
import type { FormatOptions } from '../formats/format-shape.js';
import type { InlineObject } from '../formats/inline-request.js';
import { checkConversation, checkOptions } from './shared/check-arguments.js';
import type { RequestFormat } from '../formats/request-format.js';
import type { Conversation, Prepared, PrepareOptions } from '../injector.js';

export { chatFormat, responsesFormat };
export type { InlineObject, InlineValue } from '../formats/inline-request.js';
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
 * @throws InstructionsError `INVALID_OPTION` when it is called with anything but a conversation, or with a wrong option
 */
export async function prepareChat<
  Request extends { readonly messages: readonly (object | InlineObject)[] } & (object | InlineObject),
>(
  conversation: Pick<Conversation, 'prepare'>,
  request: Request,
  options?: PrepareOpenAIOptions,
): Promise<Prepared<Request>> {
  checkCall('prepareChat', conversation, options);
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
 * @throws InstructionsError `INVALID_OPTION` when it is called with anything but a conversation, or with a wrong option
 */
export async function prepareResponses<Request extends object | InlineObject>(
  conversation: Pick<Conversation, 'prepare'>,
  request: Request,
  options?: PrepareOpenAIOptions,
): Promise<Prepared<Request>> {
  checkCall('prepareResponses', conversation, options);
  return await conversation.prepare(request, withFormat<Request>(responsesFormat(options), options));
}

function checkCall(call: string, conversation: unknown, options: unknown): void {
  checkConversation(call, conversation, 'prepare');
  checkOptions(call, options);
}

function withFormat<Request>(format: object, options?: PrepareOpenAIOptions): PrepareOptions<Request> {
  const { afterTools: _format, ...others } = options ?? {};
  // An option that means nothing goes along, and is told there.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a format asks `accepts` before it reads, and changes only messages
  return { ...others, format: format as RequestFormat<Request> };
}
