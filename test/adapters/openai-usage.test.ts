import OpenAI from 'openai';
import { expect, test } from 'vitest';

import { withInstructionsFetch, type Fetch } from '../../src/adapters/openai.js';
import { startOpenAIEndpoint } from '../support/openai-endpoint.js';
import { startAdapterHost, type AdapterHost } from './support/adapter-host.js';

interface Host extends AdapterHost {
  readonly openai: OpenAI;
}

async function startHost(send: Fetch = fetch): Promise<Host> {
  const endpoint = await startOpenAIEndpoint();
  const host = startAdapterHost();
  host.injector.adopt('docs', { instructions: 'Docs.' });
  const openai = new OpenAI({
    baseURL: `${endpoint.url}/v1`,
    apiKey: 'test-key',
    fetch: withInstructionsFetch(host.conversation, { fetch: send }),
  });
  return { ...host, openai };
}

const chat = {
  model: 'gpt-5',
  messages: [{ role: 'user' as const, content: 'hello' }],
};
/** All that was sent, by the endpoint. */
const INPUT_TOKENS = 1000;

const shareOf = ({ conversation }: AdapterHost): number | null | undefined =>
  conversation.lastReport?.tokens.share;
const expected = ({ conversation }: AdapterHost): number =>
  conversation.lastReport!.tokens.total / INPUT_TOKENS;

async function readAll(stream: AsyncIterable<unknown>): Promise<number> {
  let events = 0;
  for await (const event of stream) events += event === undefined ? 0 : 1;
  return events;
}

test.each<[string, (openai: OpenAI) => Promise<unknown>]>([
  ['a completion', (openai) => openai.chat.completions.create(chat)],
  ['a response', (openai) => openai.responses.create({ model: 'gpt-5', input: 'hello' })],
  [
    'a response that is not stored',
    (openai) => openai.responses.create({ model: 'gpt-5', input: 'hello', store: false }),
  ],
  [
    'a stored response that is streamed',
    async (openai) =>
      await readAll(await openai.responses.create({ model: 'gpt-5', input: 'hello', stream: true })),
  ],
])('%s says what share of the input the instructions were', async (_, run) => {
  const host = await startHost();
  await run(host.openai);
  await expect.poll(() => shareOf(host)).toBe(expected(host));
  expect(expected(host)).toBeGreaterThan(0);
  expect(host.log.filter(({ level }) => level === 'error')).toEqual([]);
});

test('other streams are the host’s alone: what it cancels is cancelled', async () => {
  const canceled: unknown[] = [];
  const host = await startHost(async (input, init) => {
    const response = await fetch(input, init);
    const text = await response.text();
    let left = 1_000;
    const body = new ReadableStream({
      pull: (controller) => {
        // A second reader would come to an end, so that the test does.
        if (left === 0) controller.close();
        else controller.enqueue(new TextEncoder().encode(text));
        left -= 1;
      },
      cancel: (reason) => void canceled.push(reason),
    });
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  });
  const open = async (options: object): Promise<Response> =>
    await host.openai.chat.completions
      .create({ ...chat, stream: true, stream_options: { include_usage: true }, ...options })
      .asResponse();
  const response = await open({});
  await response.body!.cancel('enough');
  expect(canceled).toEqual(['enough']);
  const unstored = host.openai.responses.create({
    model: 'gpt-5',
    input: 'hello',
    store: false,
    stream: true,
  });
  await (await unstored.asResponse()).body!.cancel('enough, too');
  expect(canceled).toEqual(['enough', 'enough, too']);
  expect(shareOf(host)).toBeNull();
});

test('a count of tokens is no answer of a model', async () => {
  const host = await startHost();
  await host.openai.responses.inputTokens.count({ model: 'gpt-5', input: 'hello' });
  expect(shareOf(host)).toBeNull();
});

test('answers that cannot be read, or were read, change nothing', async () => {
  const odd: readonly (() => Response)[] = [
    () => new Response('no JSON', { headers: { 'content-type': 'application/json' } }),
    () => new Response('null', { headers: { 'content-type': 'application/json' } }),
    () =>
      new Response('{"usage":{"prompt_tokens":"many"}}', { headers: { 'content-type': 'application/json' } }),
    () => new Response(null, { status: 204, headers: { 'content-type': 'application/json' } }),
    () => Object.assign(Response.json({}), { clone: undefined }),
  ];
  for (const make of odd) {
    const host = startAdapterHost();
    const send = withInstructionsFetch(host.conversation, {
      fetch: async () => await Promise.resolve(make()),
    });
    const response = await send('http://lab/chat/completions', {
      method: 'POST',
      body: JSON.stringify(chat),
    });
    expect(response.bodyUsed).toBe(false);
    await response.text();
    expect(shareOf(host)).toBeNull();
    expect(host.log.filter(({ level }) => level === 'error')).toEqual([]);
  }
});
