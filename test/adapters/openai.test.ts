import OpenAI, { AzureOpenAI } from 'openai';
import { describe, expect, test } from 'vitest';

import {
  chatFormat,
  prepareChat,
  prepareResponses,
  responsesFormat,
  withInstructionsFetch,
} from '../../src/adapters/openai.js';
import { deepFreeze } from '../support/request-reader.js';
import { startOpenAIEndpoint, type OpenAIAnswer, type OpenAIEndpoint } from '../support/openai-endpoint.js';
import type { ChatManners } from '../support/strict-apis.js';
import { blocksIn, startAdapterHost, tells, type AdapterHost } from './support/adapter-host.js';

interface Host extends AdapterHost {
  readonly endpoint: OpenAIEndpoint;
  readonly openai: OpenAI;
}

async function startHost(
  answer?: (number: number) => OpenAIAnswer | Promise<OpenAIAnswer>,
  { manners, afterTools }: { manners?: ChatManners; afterTools?: 'hold' } = {},
): Promise<Host> {
  const endpoint = await startOpenAIEndpoint(answer, manners);
  const host = startAdapterHost();
  host.injector.adopt('docs', { instructions: 'Docs.' });
  const fetch = withInstructionsFetch(host.conversation, { afterTools });
  const openai = new OpenAI({ baseURL: `${endpoint.url}/v1`, apiKey: 'test-key', fetch });
  return { ...host, endpoint, openai };
}

type Message = OpenAI.ChatCompletionMessageParam;
type Item = OpenAI.Responses.ResponseInputItem;
const ask = (content: string): Message & Item => ({ role: 'user', content });
const chat = (...messages: Message[]) => deepFreeze({ model: 'gpt-5', messages });
const calls = (...ids: string[]): Message => ({
  role: 'assistant',
  tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'look', arguments: '{}' } })),
});
const result = (id: string): Message => ({ role: 'tool', tool_call_id: id, content: `answer of ${id}` });
const output = (id: string): Item => ({
  type: 'function_call_output',
  call_id: id,
  output: `answer of ${id}`,
});

const DOCS = {
  role: 'user',
  content: [
    { type: 'text', text: expect.stringContaining('## docs\nDocs.') },
    { type: 'text', text: 'hello' },
  ],
};
const RESPONSES_DOCS = {
  role: 'user',
  content: [
    { type: 'input_text', text: expect.stringContaining('## docs\nDocs.') },
    { type: 'input_text', text: 'hello' },
  ],
};

const sent = (host: Host, number: number): Readonly<Record<string, unknown>> =>
  host.endpoint.requests.at(number)!.body;

describe('every way of the client', () => {
  test('a completion: a part of the prompt, committed', async () => {
    const host = await startHost();
    await host.openai.chat.completions.create(
      chat({ role: 'developer', content: 'Be brief.' }, ask('hello')),
    );
    expect(sent(host, 0)['messages']).toEqual([{ role: 'developer', content: 'Be brief.' }, DOCS]);
    expect(host.conversation.toJSON().entries[0]?.[1].committed).toBe(true);
    expect(host.conversation.lastReport).toMatchObject({ model: 'gpt-5', turn: 1, reason: 'placed' });
  });

  test('a stream', async () => {
    const host = await startHost();
    const stream = await host.openai.chat.completions.create({ ...chat(ask('hello')), stream: true });
    let words = '';
    for await (const { choices } of stream) words += choices[0]?.delta.content ?? '';
    expect(words).toBe('ok');
    expect(sent(host, 0)['messages']).toEqual([DOCS]);
  });

  test('a response, with the prompt alone or in an item', async () => {
    const host = await startHost();
    await host.openai.responses.create({ model: 'gpt-5', input: 'hello', instructions: 'Be brief.' });
    await host.openai.responses.create({ model: 'gpt-5', input: [ask('hello')], instructions: 'Be brief.' });
    expect(sent(host, 0)).toMatchObject({ input: [RESPONSES_DOCS], instructions: 'Be brief.' });
    expect(sent(host, 1)['input']).toEqual(sent(host, 0)['input']);
  });

  test('every step of runTools', async () => {
    const host = await startHost((number) =>
      number === 1 ? { calls: [{ id: 'call_1', name: 'look' }] } : 'done',
    );
    const runner = host.openai.chat.completions.runTools({
      ...chat(ask('hello')),
      tools: [
        {
          type: 'function',
          function: { name: 'look', description: 'Looks.', parameters: {}, function: () => 'seen' },
        },
      ],
    });
    expect(await runner.finalContent()).toBe('done');
    expect(host.endpoint.faults).toEqual([]);
    expect(sent(host, 1)['messages']).toEqual([
      DOCS,
      expect.objectContaining({ role: 'assistant' }),
      { role: 'tool', tool_call_id: 'call_1', content: 'seen' },
    ]);
  });

  test('Azure, by deployment', async () => {
    const host = await startHost();
    const azure = new AzureOpenAI({
      baseURL: `${host.endpoint.url}/openai`,
      apiKey: 'test-key',
      apiVersion: '2025-04-01-preview',
      fetch: withInstructionsFetch(host.injector.conversation('azure')),
    });
    await azure.chat.completions.create(chat(ask('hello')));
    await azure.responses.create({ model: 'gpt-5', input: 'hello' });
    expect(host.endpoint.requests.map(({ path }) => path)).toEqual([
      '/openai/deployments/gpt-5/chat/completions?api-version=2025-04-01-preview',
      '/openai/responses?api-version=2025-04-01-preview',
    ]);
    expect(sent(host, 0)['messages']).toEqual([DOCS]);
    expect(sent(host, 1)['input']).toEqual([RESPONSES_DOCS]);
  });

  test('other requests go out as they came', async () => {
    const host = await startHost();
    await host.openai.embeddings.create({ model: 'test', input: 'hello' });
    await host.openai.post('/other', { body: { messages: [ask('hello')] } });
    expect(host.endpoint.requests.map(({ raw }) => raw)).toEqual([
      '{"model":"test","input":"hello","encoding_format":"base64"}',
      '{"messages":[{"role":"user","content":"hello"}]}',
    ]);
    expect(host.reports).toEqual([]);
  });

  test('a count of tokens is planned and not recorded', async () => {
    const host = await startHost();
    await host.openai.responses.inputTokens.count({ model: 'gpt-5', input: 'hello' });
    expect(sent(host, 0)['input']).toEqual([RESPONSES_DOCS]);
    expect(host.conversation.toJSON().entries).toEqual([]);
  });
});

describe('attempts', () => {
  test('a retry of the SDK sends identical bytes, whatever changed between', async () => {
    let change = (): void => {};
    const host = await startHost((number) => {
      if (number > 1) return 'ok';
      change();
      return { status: 503 };
    });
    change = () => host.injector.adopt('late', { instructions: 'Late.' });
    await host.openai.chat.completions.create(chat(ask('hello')));
    expect(host.endpoint.requests).toHaveLength(2);
    expect(host.endpoint.requests[1]!.headers['x-stainless-retry-count']).toBe('1');
    expect(host.endpoint.requests[1]!.raw).toBe(host.endpoint.requests[0]!.raw);
    expect(host.reports).toHaveLength(1);
    await host.openai.chat.completions.create(
      chat(ask('hello'), { role: 'assistant', content: 'ok' }, ask('next')),
    );
    expect(blocksIn(sent(host, 2))).toEqual([tells('docs', 'Docs.'), tells('late', 'Late.')]);
  });

  test('a connection that breaks is an attempt too', async () => {
    const host = await startHost();
    let attempts = 0;
    const bodies: unknown[] = [];
    const openai = new OpenAI({
      baseURL: `${host.endpoint.url}/v1`,
      apiKey: 'test-key',
      fetch: withInstructionsFetch(host.injector.conversation('broken'), {
        fetch: async (input, init) => {
          attempts += 1;
          bodies.push(init?.body);
          if (attempts > 1) return await fetch(input, init);
          host.injector.adopt('late', { instructions: 'Late.' });
          throw new TypeError('fetch failed');
        },
      }),
    });
    await openai.chat.completions.create(chat(ask('hello')));
    expect(bodies).toHaveLength(2);
    expect(bodies[1]).toBe(bodies[0]);
  });

  test('what was not delivered is forgotten: a second call of the host’s gets the news', async () => {
    let isDown = true;
    const host = await startHost(() => (isDown ? { status: 400 } : 'ok'));
    await expect(host.openai.chat.completions.create(chat(ask('hello')))).rejects.toThrow('400');
    expect(host.conversation.toJSON().entries).toEqual([]);
    isDown = false;
    host.injector.adopt('docs', { instructions: 'Another.' });
    await host.openai.chat.completions.create(chat(ask('hello')));
    expect(blocksIn(sent(host, -1))).toEqual([tells('docs', 'Another.')]);
  });

  test('a body that cannot be read goes out as it came, and the log says so', async () => {
    const host = await startHost();
    const bodies: unknown[] = [];
    const send = withInstructionsFetch(host.conversation, {
      fetch: async (_input, init) => {
        bodies.push(init?.body);
        return new Response('{}');
      },
    });
    for (const body of ['{', 'null', '{"messages":[]}', '{"messages":[{"content":4}]}']) {
      await send('http://host.invalid/v1/chat/completions', { method: 'POST', body });
    }
    expect(bodies).toEqual(['{', 'null', '{"messages":[]}', '{"messages":[{"content":4}]}']);
    expect(host.log.filter(({ level }) => level === 'error')).toMatchObject([
      { event: 'injection-failed', reason: 'SyntaxError' },
    ]);
  });

  test('what JavaScript would write in another way goes out as it came', async () => {
    const host = await startHost();
    const send = withInstructionsFetch(host.conversation);
    const body =
      '{ "seed" : 12345678901234567890, "model":"a", "model":"gpt-5", "messages":[ {"role":"user","content":"hello"} ] }';
    await send(`${host.endpoint.url}/v1/chat/completions`, { method: 'POST', body });
    const { raw } = host.endpoint.requests[0]!;
    expect(blocksIn(sent(host, 0))).toEqual([tells('docs', 'Docs.')]);
    const [head, tail] = body.split('[ {"role":"user","content":"hello"} ]');
    expect(raw.startsWith(head!)).toBe(true);
    expect(raw.endsWith(tail!)).toBe(true);
  });

  test('a length that the host gave is not sent with another body', async () => {
    const host = await startHost();
    const send = withInstructionsFetch(host.conversation);
    const body = JSON.stringify(chat(ask('hello')));
    const response = await send(`${host.endpoint.url}/v1/chat/completions`, {
      method: 'post',
      body,
      headers: { 'content-length': String(body.length), 'content-type': 'application/json' },
    });
    expect(response.status).toBe(200);
    expect(blocksIn(sent(host, 0))).toEqual([tells('docs', 'Docs.')]);
  });
});

describe('news that comes while tools run', () => {
  test('Chat Completions: a user message after the last answer, and there it stays', async () => {
    const host = await startHost();
    await host.openai.chat.completions.create(chat(ask('hello')));
    host.injector.adopt('late', { instructions: 'Late.' });
    const opening = [ask('hello'), calls('c1', 'c2'), result('c1'), result('c2')];
    await host.openai.chat.completions.create(chat(...opening));
    const late = { role: 'user', content: [{ type: 'text', text: expect.stringContaining('## late') }] };
    expect(sent(host, 1)['messages']).toEqual([DOCS, ...opening.slice(1), late]);
    await host.openai.chat.completions.create(
      chat(...opening, { role: 'assistant', content: 'done' }, ask('thanks')),
    );
    expect(sent(host, 2)['messages']).toEqual([
      DOCS,
      ...opening.slice(1),
      late,
      { role: 'assistant', content: 'done' },
      ask('thanks'),
    ]);
    expect(host.endpoint.faults).toEqual([]);
  });

  test('a prompt right after the tools: each carries its own', async () => {
    const host = await startHost();
    const opening = [ask('hello'), calls('c1'), result('c1')];
    await host.openai.chat.completions.create(chat(ask('hello')));
    host.injector.adopt('late', { instructions: 'Late.' });
    await host.openai.chat.completions.create(chat(...opening));
    host.injector.adopt('later', { instructions: 'Later.' });
    await host.openai.chat.completions.create(chat(...opening, ask('stop')));
    const late = { role: 'user', content: [{ type: 'text', text: expect.stringContaining('## late\n') }] };
    const stop = {
      role: 'user',
      content: [
        { type: 'text', text: expect.stringContaining('## later\n') },
        { type: 'text', text: 'stop' },
      ],
    };
    expect(sent(host, 2)['messages']).toEqual([DOCS, ...opening.slice(1), late, stop]);
  });

  test('Responses: an item of its own after the last output', async () => {
    const host = await startHost((number) =>
      number === 1
        ? {
            calls: [
              { id: 'c1', name: 'look' },
              { id: 'c2', name: 'look' },
            ],
          }
        : 'done',
    );
    const first = await host.openai.responses.create({ model: 'gpt-5', input: [ask('hello')], store: false });
    host.injector.adopt('late', { instructions: 'Late.' });
    const input = [ask('hello'), ...(first.output as Item[]), output('c1'), output('c2')];
    await host.openai.responses.create({ model: 'gpt-5', input, store: false });
    expect(host.endpoint.faults).toEqual([]);
    expect(sent(host, 1)['input']).toEqual([
      RESPONSES_DOCS,
      ...input.slice(1),
      { role: 'user', content: [{ type: 'input_text', text: expect.stringContaining('## late') }] },
    ]);
  });

  test('an endpoint that refuses it: held until the next prompt', async () => {
    const host = await startHost(undefined, { manners: 'mistral', afterTools: 'hold' });
    const opening = [ask('hello'), calls('c1'), result('c1')];
    await host.openai.chat.completions.create(chat(ask('hello')));
    host.injector.adopt('late', { instructions: 'Late.' });
    await host.openai.chat.completions.create(chat(...opening));
    expect(sent(host, 1)['messages']).toEqual([DOCS, ...opening.slice(1)]);
    expect(host.reports[1]).toMatchObject({ placed: false, reason: 'no-place', pending: ['late'] });
    await host.openai.chat.completions.create(
      chat(...opening, { role: 'assistant', content: 'done' }, ask('next')),
    );
    expect(blocksIn(sent(host, 2))).toEqual([tells('docs', 'Docs.'), tells('late', 'Late.')]);
    expect(host.endpoint.faults).toEqual([]);
  });

  test('an endpoint that refuses it takes over: what went out after tools is told in the next prompt', async () => {
    const host = await startHost(undefined, { manners: 'mistral', afterTools: 'hold' });
    const opening = [ask('hello'), calls('c1'), result('c1')];
    await (await prepareChat(host.conversation, chat(ask('hello')))).commit();
    host.injector.adopt('late', { instructions: 'Late.' });
    await (await prepareChat(host.conversation, chat(...opening))).commit();
    await host.openai.chat.completions.create(
      chat(...opening, { role: 'assistant', content: 'done' }, ask('next')),
    );
    expect(host.endpoint.faults).toEqual([]);
    expect(blocksIn(sent(host, 0))).toEqual([tells('docs', 'Docs.'), tells('late', 'Late.')]);
  });

  test('without holding, such an endpoint does refuse', async () => {
    const host = await startHost(undefined, { manners: 'mistral' });
    await host.openai.chat.completions.create(chat(ask('hello')));
    host.injector.adopt('late', { instructions: 'Late.' });
    const request = chat(ask('hello'), calls('c1'), result('c1'));
    await expect(host.openai.chat.completions.create(request)).rejects.toThrow('got user after tool');
  });
});

describe('history that the API keeps', () => {
  const CALLS: OpenAIAnswer = {
    calls: [
      { id: 'c1', name: 'look' },
      { id: 'c2', name: 'look' },
    ],
  };

  test.each([false, true])('previous_response_id, streamed %s: only news is added', async (stream) => {
    const host = await startHost((number) => (number === 1 ? CALLS : 'done'));
    const respond = async (input: Item[], before: string | null): Promise<string> => {
      const body = { model: 'gpt-5', input, previous_response_id: before };
      if (!stream) return (await host.openai.responses.create(body)).id;
      let id = '';
      for await (const event of await host.openai.responses.create({ ...body, stream: true })) {
        if (event.type === 'response.created') id = event.response.id;
      }
      return id;
    };
    const first = await respond([ask('hello')], null);
    host.injector.adopt('late', { instructions: 'Late.' });
    const second = await respond([output('c1'), output('c2')], first);
    await respond([ask('next')], second);
    host.injector.adopt('later', { instructions: 'Later.' });
    // A branch: it goes on from where only docs was told.
    await respond([output('c1'), output('c2')], first);
    expect(host.endpoint.faults).toEqual([]);
    expect(host.endpoint.requests.map(({ body }) => blocksIn(body))).toEqual([
      [tells('docs', 'Docs.')],
      [tells('late', 'Late.')],
      [],
      [tells('late', 'Late.')],
    ]);
    expect((sent(host, 1)['input'] as Item[]).slice(0, 2)).toEqual([output('c1'), output('c2')]);
  });

  test('an id that is not known is told everything', async () => {
    const host = await startHost();
    const { id } = await host.openai.responses.create({ model: 'gpt-5', input: 'hello' });
    const elsewhere = host.injector.conversation('elsewhere');
    const other = new OpenAI({
      baseURL: `${host.endpoint.url}/v1`,
      apiKey: 'test-key',
      fetch: withInstructionsFetch(elsewhere),
    });
    await other.responses.create({ model: 'gpt-5', input: 'hello', previous_response_id: id });
    expect(elsewhere.lastReport).toMatchObject({ reason: 'thread-unknown', placed: true });
  });

  test.each(['conv_1', { id: 'conv_1' }])('a conversation, as %j', async (conversation) => {
    const host = await startHost();
    await host.openai.responses.create({ model: 'gpt-5', input: 'hello', conversation });
    await host.openai.responses.create({ model: 'gpt-5', input: 'next', conversation });
    host.injector.adopt('late', { instructions: 'Late.' });
    await host.openai.responses.create({ model: 'gpt-5', input: 'more', conversation });
    expect(host.endpoint.requests.map(({ body }) => blocksIn(body))).toEqual([
      [tells('docs', 'Docs.')],
      [],
      [tells('late', 'Late.')],
    ]);
  });

  test('a compaction takes the place of what was told', async () => {
    const host = await startHost();
    await host.openai.responses.create({ model: 'gpt-5', input: 'hello' });
    const input = [
      ask('hello'),
      { role: 'assistant', content: 'ok' },
      { type: 'compaction', encrypted_content: 'x' },
      ask('next'),
    ];
    await host.openai.responses.create({ model: 'gpt-5', input: input as Item[] });
    expect(blocksIn(sent(host, 1))).toEqual([tells('docs', 'Docs.'), tells('docs', 'Docs.')]);
    expect(host.conversation.lastReport?.reason).toBe('history-changed');
  });
});

describe('by hand', () => {
  test('prepareChat: the type stays, a discarded plan is forgotten, stored messages are stripped', async () => {
    const { conversation, injector } = startAdapterHost();
    injector.adopt('docs', { instructions: 'Docs.' });
    const params: OpenAI.ChatCompletionCreateParamsNonStreaming = chat(ask('hello'));
    const prepared = await prepareChat(conversation, params);
    const request: OpenAI.ChatCompletionCreateParamsNonStreaming = prepared.request;
    expect(request.messages).toEqual([DOCS]);
    prepared.discard();
    expect(conversation.toJSON().entries).toEqual([]);
    const { messages } = conversation.stripRequest({ messages: request.messages }, chatFormat());
    expect(messages).toEqual([{ role: 'user', content: [{ type: 'text', text: 'hello' }] }]);
  });

  test('prepareResponses: the answer is filed by commit', async () => {
    const endpoint = await startOpenAIEndpoint();
    const { conversation, injector } = startAdapterHost();
    injector.adopt('docs', { instructions: 'Docs.' });
    const openai = new OpenAI({ baseURL: endpoint.url, apiKey: 'test-key' });
    const prepared = await prepareResponses(conversation, { model: 'gpt-5', input: 'hello' });
    const message = await openai.responses.create(prepared.request);
    await prepared.commit({ usage: message.usage, message });
    expect(conversation.lastReport?.tokens.share).toBeGreaterThan(0);
    const next = await prepareResponses(conversation, {
      model: 'gpt-5',
      input: 'next',
      previous_response_id: message.id,
    });
    expect(next.report).toMatchObject({ reason: 'no-news', placed: false });
    expect(conversation.stripRequest(prepared.request, responsesFormat()).input).toEqual([
      { role: 'user', content: [{ type: 'input_text', text: 'hello' }] },
    ]);
  });

  test('a breakpoint that moves changes nothing', async () => {
    const { conversation, injector } = startAdapterHost();
    injector.adopt('docs', { instructions: 'Docs.' });
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } };
    const prompt = { role: 'user', content: [image, { type: 'text', text: 'What is it?' }] };
    const first = await prepareChat(conversation, { messages: [prompt] });
    await first.commit();
    const marked = {
      ...prompt,
      content: [{ ...image, prompt_cache_breakpoint: { mode: 'explicit' } }, prompt.content[1]!],
    };
    const second = await prepareChat(conversation, {
      messages: [marked, { role: 'assistant', content: 'A cat.' }, { role: 'user', content: 'Sure?' }],
    });
    expect(blocksIn(second.request.messages[0])).toEqual([tells('docs', 'Docs.')]);
    expect(blocksIn(second.request)).toHaveLength(1);
  });

  test('tokens are counted with the model’s own encoding', async () => {
    const { conversation, injector } = startAdapterHost();
    injector.adopt('docs', { instructions: 'Docs.' });
    await expect
      .poll(
        async () =>
          (await prepareChat(conversation, chat(ask('hello')), { record: false })).report.tokens.method,
      )
      .toBe('counted');
  });
});
