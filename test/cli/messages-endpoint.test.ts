import Anthropic, { APIError } from '@anthropic-ai/sdk';
import { afterEach, expect, test } from 'vitest';

import {
  startMessagesEndpoint,
  type EndpointOptions,
  type MessagesEndpoint,
} from '../../src/cli/demo/messages-endpoint.js';

const request = {
  model: 'claude-test',
  max_tokens: 16,
  messages: [{ role: 'user' as const, content: 'Hello 👋' }],
};
let endpoint: MessagesEndpoint | undefined;

async function start(answer?: NonNullable<EndpointOptions['answer']>): Promise<Anthropic> {
  endpoint = await startMessagesEndpoint(answer === undefined ? {} : { answer });
  return new Anthropic({ apiKey: 'none', baseURL: endpoint.url });
}

afterEach(async () => {
  await endpoint?.close();
  await endpoint?.close();
});

test('answers a message and keeps the request byte for byte', async () => {
  const claude = await start();
  const reply = await claude.messages.create(request);
  expect(reply.content).toEqual([{ type: 'text', text: 'ok' }]);
  expect(reply.id).toBe('msg_000001');
  expect(reply.stop_reason).toBe('end_turn');
  expect(reply.usage.input_tokens).toBeGreaterThan(0);
  expect(endpoint?.requests).toHaveLength(1);
  expect(endpoint?.requests[0]?.raw).toBe(JSON.stringify(request));
  expect(endpoint?.requests[0]?.body).toEqual(request);
});

test('streams text, tool calls and thinking that add up to the same message', async () => {
  const content = [
    { type: 'thinking', thinking: 'Let me see, 🙂🙂 this takes more than one piece.', signature: 'sig' },
    { type: 'text', text: '👩‍👩‍👧 A text that is longer than one piece, and then some more.' },
    { type: 'tool_use', id: 'toolu_1', name: 'search', input: { query: 'a long enough question to split' } },
  ];
  const claude = await start(() => ({ content, usage: { output_tokens: 7 } }));
  const streamed = await claude.messages.stream(request).finalMessage();
  const whole = await claude.messages.create(request);
  expect(streamed.content).toEqual(content);
  expect(whole.content).toEqual(content);
  expect(streamed.stop_reason).toBe('tool_use');
  expect(streamed.usage.output_tokens).toBe(7);
  expect(endpoint?.requests[0]?.body.stream).toBe(true);
});

test('sends any status with an error body, and the SDK retries at once', async () => {
  const claude = await start((_body, { number }) =>
    number === 1 ? { status: 529, error: { type: 'overloaded_error', message: 'busy' } } : 'later',
  );
  const reply = await claude.messages.create(request);
  expect(reply.content).toEqual([{ type: 'text', text: 'later' }]);
  expect(endpoint?.requests.map(({ raw }) => raw)).toEqual([
    JSON.stringify(request),
    JSON.stringify(request),
  ]);
});

test('counts tokens and takes batches, also below the beta address', async () => {
  const claude = await start();
  const { max_tokens: _, ...counted } = request;
  const count = await claude.beta.messages.countTokens(counted);
  expect(count.input_tokens).toBeGreaterThan(0);
  const batch = await claude.messages.batches.create({ requests: [{ custom_id: 'a', params: request }] });
  expect(batch.id).toBe('msgbatch_000002');
  expect(endpoint?.requests.map(({ path }) => path)).toEqual(['count_tokens', 'batches']);
});

test('a script that throws, a cut connection and a wrong body are errors of the caller', async () => {
  const claude = await start((_body, { number }) => {
    if (number === 1) throw new Error('the script ends here');
    return { hangUp: true };
  });
  const refused = await claude.messages.create(request).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(APIError);
  expect(String(refused)).toContain('the script ends here');
  expect(endpoint?.requests).toHaveLength(1);
  const cut = await claude.messages.create(request, { maxRetries: 0 }).catch((error: unknown) => error);
  expect(cut).toBeInstanceOf(APIError);
  const wrong = await fetch(`${endpoint?.url}/v1/messages`, { method: 'POST', body: '[]' });
  expect(wrong.status).toBe(400);
  const unknown = await fetch(`${endpoint?.url}/v1/models`);
  expect(unknown.status).toBe(404);
  expect(endpoint?.requests).toHaveLength(2);
});
