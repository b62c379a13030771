// Every way to OpenAI, against the real SDK's types. Compiled, never run.
import OpenAI, { AzureOpenAI, type ClientOptions } from 'openai';
import type { Conversation, Injector } from 'mcp-instructions';
import {
  chatFormat,
  prepareChat,
  prepareResponses,
  responsesFormat,
  withInstructionsFetch,
} from 'mcp-instructions/openai';

import { same } from './same.js';

declare const conversation: Conversation;
declare const injector: Injector;

/** The SDK's own kind of fetch, with nothing asserted, and the platform's. */
export const own: NonNullable<ClientOptions['fetch']> = withInstructionsFetch(conversation);
export const platform: typeof globalThis.fetch = withInstructionsFetch(conversation, { fetch });
const openai = new OpenAI({ fetch: withInstructionsFetch(conversation, { afterTools: 'hold' }) });
export const azure: OpenAI = new AzureOpenAI({
  apiVersion: '2025-04-01-preview',
  fetch: withInstructionsFetch(conversation),
});

/** What is prepared keeps the type of the request, so that the SDK takes it. */
const chat: OpenAI.ChatCompletionCreateParamsNonStreaming = {
  model: 'gpt-5',
  messages: [{ role: 'user', content: 'hi' }],
};
const preparedChat = await prepareChat(conversation, chat);
same<typeof preparedChat.request, OpenAI.ChatCompletionCreateParamsNonStreaming>(true);
const completion = await openai.chat.completions.create(preparedChat.request);
await preparedChat.commit({ usage: completion.usage });

const body: OpenAI.Responses.ResponseCreateParamsNonStreaming = { model: 'gpt-5', input: 'hi' };
const preparedResponse = await prepareResponses(conversation, body, { record: false });
const message = await openai.responses.create(preparedResponse.request);
await preparedResponse.commit({ usage: message.usage, message });

/** Messages go in and come out. */
conversation.stripRequest({ messages: chat.messages }, chatFormat());
conversation.stripRequest({ input: [{ role: 'user', content: 'hi' }] }, responsesFormat());

// @ts-expect-error a conversation is needed
withInstructionsFetch(injector);
// @ts-expect-error messages are needed
await prepareChat(conversation, { model: 'gpt-5' });
