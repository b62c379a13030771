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

/** So it is where the request is written out at the call: its words are taken as they stand. */
const inline = await prepareChat(conversation, {
  model: 'gpt-5',
  reasoning_effort: 'low',
  stop: ['x'],
  messages: [
    { role: 'developer', content: 'Be brief.' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'hi' },
        { type: 'image_url', image_url: { url: 'https://example.com/x.png', detail: 'low' } },
      ],
    },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: '1', type: 'function', function: { name: 'look', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: '1', content: 'seen' },
  ],
  tools: [{ type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {} } } }],
  tool_choice: 'auto',
});
const whole: OpenAI.ChatCompletion = await openai.chat.completions.create(inline.request);
const streamed = await prepareChat(conversation, {
  model: 'gpt-5',
  stream: true,
  messages: [{ role: 'user', content: 'hi' }],
});
for await (const chunk of await openai.chat.completions.create(streamed.request)) void chunk.choices;
/** What is said may be anything, also afterwards. */
same<(typeof streamed.request.messages)[number]['content'], string>(true);
const inlineResponse = await prepareResponses(conversation, {
  model: 'gpt-5',
  input: [
    { role: 'user', content: 'hi' },
    { type: 'function_call_output', call_id: '1', output: 'seen' },
  ],
  tool_choice: 'auto',
});
const responded: OpenAI.Responses.Response = await openai.responses.create(inlineResponse.request);

/** Types of a host's own stay what they are. */
interface Own {
  readonly model: string;
  readonly messages: readonly { readonly role: 'user' | 'assistant'; readonly content: string }[];
}
declare const owned: Own;
const preparedOwn = await prepareChat(conversation, owned);
same<typeof preparedOwn.request, Own>(true);
/** In a function of the host's, too. */
export async function wrapped<Request extends { messages: OpenAI.ChatCompletionMessageParam[] }>(
  request: Request,
): Promise<Request> {
  return (await prepareChat(conversation, request)).request;
}

/** Messages go in and come out. */
conversation.stripRequest({ messages: chat.messages }, chatFormat());
conversation.stripRequest({ input: [{ role: 'user', content: 'hi' }] }, responsesFormat());

// @ts-expect-error a conversation is needed
withInstructionsFetch(injector);
// @ts-expect-error messages are needed
await prepareChat(conversation, { model: 'gpt-5' });

export type { responded, whole };
