import type { Conversation } from '../injector.js';
import { PromptCalls } from './ai-sdk/prompt-calls.js';
import { checkConversation, checkOptions } from './shared/check-arguments.js';
import type { FormatOptions } from '../formats/format-shape.js';
import { promptFormat } from '../formats/ai-sdk-prompt.js';

export { promptFormat };
export type { PromptMessage, PromptPart, PromptRequest } from '../formats/ai-sdk-prompt.js';

const middlewareOptions: Readonly<Record<keyof FormatOptions, true>> = { afterTools: true };

/** What the AI SDK hands to a model, by shape. */
export interface CallParams {
  readonly prompt: readonly { readonly role: string; readonly content: unknown }[];
  readonly abortSignal?: AbortSignal | undefined;
  readonly providerOptions?: Readonly<Record<string, unknown>> | undefined;
}

/** A model of the AI SDK, by shape. */
export interface ModelLike {
  readonly modelId: string;
}

/** A middleware of the AI SDK's `wrapLanguageModel`, by shape. */
export interface InstructionsMiddleware {
  readonly specificationVersion: 'v3';
  /** Runs once for every attempt of every step. */
  transformParams<Params extends CallParams>(call: {
    readonly params: Params;
    readonly model: ModelLike;
  }): Promise<Params>;
  /** Runs around an attempt whose answer comes whole. */
  wrapGenerate<Result extends { readonly usage: unknown }>(call: {
    readonly params: object;
    readonly doGenerate: () => PromiseLike<Result>;
  }): Promise<Result>;
  /** Runs around an attempt whose answer is streamed. */
  wrapStream<Result extends { readonly stream: ReadableStream }>(call: {
    readonly params: object;
    readonly doStream: () => PromiseLike<Result>;
  }): Promise<Result>;
}

/** Provider options that say whose call it is; see {@link forConversation}. */
export interface ConversationOption {
  /** `never`, because the AI SDK takes nothing but JSON here: it stays in the process, and no provider sees it. */
  readonly mcpInstructions: { readonly conversation: never };
  /** There is nothing else. */
  readonly [other: string]: { readonly conversation: never };
}

/**
 * Provider options of one call, for a model whose middleware has no conversation of its own or another one:
 * `generateText({ model, providerOptions: forConversation(conversation) })`.
 *
 * @param conversation whose call it is
 * @throws InstructionsError `INVALID_OPTION` for anything but a conversation
 */
export function forConversation(conversation: Conversation): ConversationOption {
  checkConversation('forConversation', conversation, 'prepareCall');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see the type
  return { mcpInstructions: { conversation: conversation as never } };
}

/**
 * A middleware for `wrapLanguageModel` of the AI SDK 6 and 7, whatever the provider. It goes last in a list of middlewares. Prompts get a
 * part of their own in the host's user message; news that comes while tools run is a user message after their answers.
 *
 * A resolved call commits; a rejected one forgets its plan, and a retry by the SDK sends the same prompt.
 *
 * @param conversation whose calls they are; without one, calls that bring none by {@link forConversation} are left as they are
 * @param options see {@link FormatOptions}
 * @throws InstructionsError `INVALID_OPTION` for anything but a conversation, or for a wrong option. A call rejects with it whose provider options hold
 *   an `mcpInstructions` that {@link forConversation} did not make
 */
export function instructionsMiddleware(
  conversation?: Conversation,
  options?: FormatOptions,
): InstructionsMiddleware {
  if (conversation !== undefined) {
    checkConversation('instructionsMiddleware', conversation, 'prepareCall');
  }
  checkOptions('instructionsMiddleware', options);
  conversation?.reportUnknown('instructionsMiddleware', options, middlewareOptions);
  const calls = new PromptCalls(promptFormat(options));
  return {
    specificationVersion: 'v3',
    transformParams: async ({ params, model }) => await calls.begin(params, model.modelId, conversation),
    wrapGenerate: async ({ params, doGenerate }) => {
      const result = await calls.attempt(params, doGenerate);
      calls.used(params, result.usage);
      return result;
    },
    wrapStream: async ({ params, doStream }) => {
      const result = await calls.attempt(params, doStream);
      return { ...result, stream: calls.watch(params, result.stream) };
    },
  };
}
