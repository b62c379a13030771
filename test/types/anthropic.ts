// Every way to the middleware, against the real SDK's types. Compiled, never run.
import Anthropic, { type ClientOptions } from '@anthropic-ai/sdk';
import type { AnthropicMiddleware, Conversation, Injector, Options } from 'mcp-instructions';
import { withInstructions } from 'mcp-instructions/anthropic';

import { same } from './same.js';

declare const conversation: Conversation;
declare const injector: Injector;

class HostClient extends Anthropic {
  readonly team: string = 'search';
}

/** The client keeps its type, a subclass's too. */
const plain = withInstructions(new Anthropic(), conversation);
same<typeof plain, Anthropic>(true);
const own = withInstructions(new HostClient({ maxRetries: 0 }), conversation);
same<typeof own, HostClient>(true);
// @ts-expect-error the two differ, so the check itself can fail
same<typeof own, Anthropic>(true);

/** The SDK's own kind of middleware, with nothing asserted. */
const middleware: NonNullable<ClientOptions['middleware']>[number] = conversation.middleware();
same<ReturnType<Conversation['middleware']>, AnthropicMiddleware>(true);

/** For a client. */
const client = new Anthropic({ middleware: [conversation.middleware()] });
client.withOptions({ middleware: [...client.middleware, middleware] });

/** For one request, of every surface. */
const params: Anthropic.MessageCreateParamsNonStreaming = {
  model: 'claude-test',
  max_tokens: 16,
  messages: [{ role: 'user', content: 'hi' }],
};
const { model, messages } = params;
await client.messages.create(params, { middleware: [conversation.middleware()] });
await client.messages.create({ ...params, stream: true }, { middleware: [conversation.middleware()] });
client.messages.stream(params, { middleware: [conversation.middleware()] });
await client.messages.countTokens({ model, messages }, { middleware: [conversation.middleware()] });
await client.messages.batches.create(
  { requests: [{ custom_id: '1', params }] },
  { middleware: [conversation.middleware()] },
);
await client.beta.messages.create(params, { middleware: [conversation.middleware()] });

/** What is prepared keeps the type of the request, so that the SDK takes it. */
const prepared = await conversation.prepare(params);
same<typeof prepared.request, Anthropic.MessageCreateParamsNonStreaming>(true);
const answer = await client.messages.create(prepared.request);
await prepared.commit({ usage: answer.usage, message: answer });
prepared.discard();

/** So it is where the request is written out at the call. */
const inline = await conversation.prepare({
  model: 'claude-test',
  max_tokens: 16,
  tool_choice: { type: 'auto' },
  messages: [
    { role: 'user', content: [{ type: 'text', text: 'hi', cache_control: { type: 'ephemeral' } }] },
    { role: 'assistant', content: [{ type: 'tool_use', id: '1', name: 'look', input: {} }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: '1', content: 'seen' }] },
  ],
});
const inlineAnswer: Anthropic.Message = await client.messages.create(inline.request);
/** Anything at all can be prepared, in a function of the host's, too. */
export async function wrapped<Request>(request: Request): Promise<Request> {
  return (await conversation.prepare(request)).request;
}
const anything: unknown = (await conversation.prepare(JSON.parse('{}') as unknown)).request;

/** Messages of the SDK go in and come out. */
const stripped: Anthropic.MessageParam[] = conversation.strip(messages);

/** A client of the SDK can count. */
const counting: Options = { countWith: client };

// @ts-expect-error a client is needed
withInstructions('client', conversation);
// @ts-expect-error a conversation is needed
withInstructions(client, injector);

export type { anything, counting, inlineAnswer, stripped };
