import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import Anthropic from '@anthropic-ai/sdk';
import { expect, it, onTestFinished } from 'vitest';
import { withInstructions } from '../../src/adapters/anthropic.js';
import { createInjector, type Conversation } from '../../src/index.js';
import { keepLog, MODEL } from '../support/host.js';

const event = (type: string, fields: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
const start = event('message_start', {
  message: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: MODEL,
    content: [],
    usage: { input_tokens: 5000, output_tokens: 0 },
  },
});
const text = event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } });
const delta = event('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'x' } });
const stop =
  event('content_block_stop', { index: 0 }) +
  event('message_delta', { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1 } }) +
  event('message_stop', {});

/** A client of an endpoint that answers as it is told, and the conversation behind it. */
async function connect(
  answer: (response: ServerResponse, body: string, request: IncomingMessage) => unknown,
): Promise<{ claude: Anthropic; conversation: Conversation; bodies: string[] }> {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      bodies.push(Buffer.concat(parts).toString());
      void answer(response, bodies.at(-1) ?? '', request);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const injector = createInjector({ logger: keepLog().logger });
  onTestFinished(() => injector.close());
  injector.adopt('docs', { instructions: 'Docs.' });
  const conversation = injector.conversation('chat');
  const { port } = server.address() as AddressInfo;
  const plain = new Anthropic({ apiKey: 'k', baseURL: `http://127.0.0.1:${port}`, maxRetries: 0 });
  return { claude: withInstructions(plain, conversation), conversation, bodies };
}

const request = {
  model: MODEL,
  max_tokens: 9,
  stream: true as const,
  messages: [{ role: 'user' as const, content: 'q' }],
};
const thread = { type: 'create' };

it.each([
  ['of a thread', { thread }],
  ['of no thread', {}],
])('a host that stops reading an answer %s stops the API', async (_, more) => {
  let onClosed = (): void => {};
  const closed = new Promise<void>((resolve) => {
    onClosed = resolve;
  });
  const { claude, conversation } = await connect((response) => {
    response.on('close', onClosed);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(start + text + delta);
  });
  const stream = await claude.beta.messages.create({ ...request, ...more } as typeof request);
  for await (const one of stream) if (one.type === 'content_block_delta') break;
  // It never ends by itself.
  await closed;
  expect(conversation.lastReport?.placed).toBe(true);
});

it.each(['text/event-stream', 'text/plain', 'Text/Event-Stream; charset=utf-8'])(
  'an answer of a thread comes as it is made, and is filed when it ends: %s',
  async (type) => {
    const ends: (() => void)[] = [];
    const { claude, conversation, bodies } = await connect((response) => {
      response.writeHead(200, { 'content-type': type });
      response.write(start + text + delta);
      ends.push(() => response.end(stop));
    });
    const stream = await claude.beta.messages.create({ ...request, thread } as typeof request);
    const seen: string[] = [];
    for await (const one of stream) {
      seen.push(one.type);
      // The rest is sent only when the host has this.
      if (one.type === 'content_block_delta') ends[0]?.();
    }
    expect(seen.at(-1)).toBe('message_stop');
    await expect.poll(() => conversation.lastReport?.tokens.share).toBeGreaterThan(0);
    const next = { ...request, thread: { type: 'continue' as const, previous_message_id: 'msg_1' } };
    const second = await claude.beta.messages.create({ ...next, messages: [{ role: 'user', content: 'r' }] });
    ends[1]?.();
    for await (const one of second) seen.push(one.type);
    expect(bodies[0]).toContain('Docs.');
    expect(bodies[1]).not.toContain('Docs.');
  },
);

it('a response that is read along says what the original said', async () => {
  const { claude } = await connect((response) => {
    response.writeHead(200, 'Fine', { 'content-type': 'text/event-stream', 'request-id': 'req_1' });
    response.end(start + stop);
  });
  const { response, request_id } = await claude.beta.messages
    .create({ ...request, thread } as typeof request)
    .withResponse();
  expect(request_id).toBe('req_1');
  expect(response).toMatchObject({ status: 200, ok: true, statusText: 'Fine', redirected: false });
  expect(response.url).toMatch(/^http:.*\/v1\/messages/);
});

it('a length that the host gave does not cut the body', async () => {
  const { claude, bodies } = await connect((response, body, given) => {
    const length = given.headers['content-length'];
    const isWhole = length === undefined || Number(length) === Buffer.byteLength(body);
    response.writeHead(isWhole ? 200 : 400, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ id: 'msg_1', type: 'message', content: [], usage: {} }));
  });
  const { stream: _, ...whole } = request;
  const headers = { 'content-length': String(JSON.stringify(whole).length) };
  await claude.messages.create(whole, { headers });
  expect(bodies[0]).toContain('Docs.');
  expect(JSON.parse(bodies[0] ?? '')).toMatchObject({ max_tokens: 9 });
});
