import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

import OpenAI from 'openai';
import { expect, onTestFinished, test } from 'vitest';

import { withInstructionsFetch, type Fetch } from '../../src/adapters/openai.js';
import { blocksIn, startAdapterHost, tells, type AdapterHost } from './support/adapter-host.js';

const event = (type: string, fields: object): string => `data: ${JSON.stringify({ type, ...fields })}\n\n`;
const answer = (id: string): object => ({ id, object: 'response', status: 'in_progress', output: [] });
const start = (id: string): string => event('response.created', { response: answer(id) });
const word = event('response.output_text.delta', { delta: 'x' });
const said = [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'x' }] }];
const stop = (id: string): string =>
  event('response.completed', {
    response: { ...answer(id), output: said, usage: { input_tokens: 1000 } },
  });

interface Host extends AdapterHost {
  readonly openai: OpenAI;
  readonly send: Fetch;
  readonly url: string;
  readonly bodies: unknown[];
}

/** @param reply what the endpoint does with a request of a number, from 1 */
async function startHost(reply: (response: ServerResponse, number: number) => unknown): Promise<Host> {
  const bodies: unknown[] = [];
  const server = createServer((request, response) => {
    void json(request).then((body) => reply(response, bodies.push(body)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const host = startAdapterHost();
  host.injector.adopt('docs', { instructions: 'Docs.' });
  const send = withInstructionsFetch(host.conversation);
  const openai = new OpenAI({ baseURL: url, apiKey: 'k', maxRetries: 0, fetch: send });
  return { ...host, openai, send, url, bodies };
}

const stream = { model: 'gpt-5', input: 'hello', stream: true } as const;

/** Reads all that comes before a connection breaks. */
async function readAll(events: AsyncIterable<unknown>, seen: () => void = () => {}): Promise<void> {
  try {
    for await (const one of events) if (one !== undefined) seen();
  } catch {
    // As a host does that goes on with what it has.
  }
}

test.each<[string, (host: Host) => Promise<void>, number]>([
  [
    'leaves the loop',
    async ({ openai }) => {
      for await (const one of await openai.responses.create(stream)) if (one.type !== 'error') break;
    },
    0,
  ],
  [
    'cancels the body',
    async ({ openai }) => {
      const response = await openai.responses.create(stream).asResponse();
      const reader = response.body!.getReader();
      await reader.read();
      await reader.cancel();
    },
    0,
  ],
  [
    'cancels the body before it reads',
    async ({ openai }) => await (await openai.responses.create(stream).asResponse()).body!.cancel(),
    1,
  ],
])('a host that %s stops the API, and what it saw of the response counts', async (_, leave, again) => {
  let onClosed = (): void => {};
  const closed = new Promise<void>((resolve) => {
    onClosed = resolve;
  });
  const host = await startHost((response, number) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    if (number > 1) response.end(start('resp_2') + stop('resp_2'));
    else response.on('close', onClosed).write(start('resp_1') + word);
  });
  await leave(host);
  // It never ends by itself.
  await closed;
  await readAll(await host.openai.responses.create({ ...stream, previous_response_id: 'resp_1' }));
  expect(host.bodies.map((body) => blocksIn(body).length)).toEqual([1, again]);
});

test('nothing is read but what the host reads', async () => {
  let pulls = 0;
  const { conversation, injector } = startAdapterHost();
  injector.adopt('docs', { instructions: 'Docs.' });
  const body = new ReadableStream<Uint8Array>(
    {
      pull: (controller) => {
        pulls += 1;
        controller.enqueue(new TextEncoder().encode(word));
      },
    },
    { highWaterMark: 0 },
  );
  const original = new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  const send = withInstructionsFetch(conversation, { fetch: async () => await Promise.resolve(original) });
  const response = await send('http://lab/v1/responses', { method: 'POST', body: JSON.stringify(stream) });
  const reader = response.body!.getReader();
  for (const reads of [1, 2, 3]) {
    await reader.read();
    expect(pulls).toBe(reads);
  }
});

test.each(['text/event-stream', 'Text/Event-Stream; charset=utf-8', 'text/plain', undefined])(
  'a stream comes as it is made, and is filed, whatever its type: %s',
  async (type) => {
    const ends: (() => unknown)[] = [];
    const host = await startHost((response, number) => {
      response.writeHead(200, type === undefined ? {} : { 'content-type': type });
      response.write(start(`resp_${number}`) + word);
      ends.push(() => response.writableEnded || response.end(stop(`resp_${number}`)));
    });
    const first = await host.openai.responses.create(stream);
    // The rest is sent only when the host has some.
    await readAll(first, () => ends[0]?.());
    expect(host.conversation.lastReport?.tokens.share).toBeGreaterThan(0);
    host.injector.adopt('late', { instructions: 'Late.' });
    const second = await host.openai.responses.create({ ...stream, previous_response_id: 'resp_1' });
    await readAll(second, () => ends[1]?.());
    expect(host.bodies.map(blocksIn)).toEqual([[tells('docs', 'Docs.')], [tells('late', 'Late.')]]);
  },
);

test('a whole answer to a request for a stream is filed too', async () => {
  const host = await startHost((response) => {
    response.writeHead(200, { 'content-type': 'Application/JSON' });
    response.end(JSON.stringify({ ...answer('resp_1'), output: said }));
  });
  const post = async (more: object): Promise<Response> =>
    await host.send(`${host.url}/responses`, {
      method: 'POST',
      body: JSON.stringify({ ...stream, ...more }),
    });
  expect(await (await post({})).json()).toMatchObject({ id: 'resp_1' });
  await post({ previous_response_id: 'resp_1' });
  expect(host.bodies.map((body) => blocksIn(body).length)).toEqual([1, 0]);
});

test.each(['response.created', 'response.queued', 'response.in_progress'])(
  'a stream that breaks after %s leaves a response to go on from',
  async (type) => {
    const host = await startHost((response, number) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      if (number > 1) return response.end(start('resp_2') + stop('resp_2'));
      response.write(event(type, { response: answer('resp_1') }));
      return setImmediate(() => response.destroy());
    });
    await readAll(await host.openai.responses.create({ ...stream, background: true }));
    await readAll(await host.openai.responses.create({ ...stream, previous_response_id: 'resp_1' }));
    expect(host.bodies.map((body) => blocksIn(body).length)).toEqual([1, 0]);
  },
);

test('a conversation goes on only from a whole response: a part of one may not be in it', async () => {
  const host = await startHost((response, number) => {
    const conversation = { id: 'conv_1' };
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(event('response.created', { response: { ...answer(`resp_${number}`), conversation } }));
    return setImmediate(() => response.destroy());
  });
  for (const input of ['hello', 'again']) {
    await readAll(await host.openai.responses.create({ ...stream, input, conversation: 'conv_1' }));
  }
  expect(host.bodies.map((body) => blocksIn(body).length)).toEqual([1, 1]);
});

test('the response says what it said', async () => {
  const host = await startHost((response) => {
    response.writeHead(201, 'Fine', { 'content-type': 'text/event-stream', 'x-request-id': 'req_1' });
    response.end(start('resp_1') + stop('resp_1'));
  });
  const response = await host.openai.responses.create(stream).asResponse();
  const told = { status: 201, statusText: 'Fine', ok: true, type: 'basic', redirected: false };
  expect(response).toMatchObject(told);
  expect(response.url).toBe(`${host.url}/responses`);
  expect(response.headers.get('x-request-id')).toBe('req_1');
  expect(response.bodyUsed).toBe(false);
  expect(await response.text()).toBe(start('resp_1') + stop('resp_1'));
});

test('long events, and events in many pieces, are read', async () => {
  const long = 'ü'.repeat(100_000);
  const events = start('resp_1') + event('response.output_text.delta', { delta: long }) + stop('resp_1');
  const bytes = new TextEncoder().encode(events.replaceAll('\n', '\r\n'));
  const host = startAdapterHost();
  host.injector.adopt('docs', { instructions: 'Docs.' });
  const bodies: unknown[] = [];
  const send = withInstructionsFetch(host.conversation, {
    fetch: async (_input, init) => {
      bodies.push(JSON.parse(init?.body as string));
      const pieces = Array.from({ length: Math.ceil(bytes.length / 999) }, (_piece, at) =>
        bytes.slice(at * 999, (at + 1) * 999),
      );
      return await Promise.resolve(new Response(new Blob(pieces).stream()));
    },
  });
  const post = async (more: object): Promise<string> => {
    const body = JSON.stringify({ ...stream, ...more });
    return await (await send('http://lab/v1/responses', { method: 'POST', body })).text();
  };
  expect(await post({})).toBe(events.replaceAll('\n', '\r\n'));
  await post({ previous_response_id: 'resp_1' });
  expect(bodies.map((body) => blocksIn(body).length)).toEqual([1, 0]);
  expect(host.log.filter(({ level }) => level === 'error')).toEqual([]);
});

test('what cannot be read passes as it is', async () => {
  const host = startAdapterHost();
  host.injector.adopt('docs', { instructions: 'Docs.' });
  const odd = ['data: {"response.created"\n\n', 'data: null "response.created"\n', '\uFEFF', '{"id":'];
  for (const text of odd) {
    const send = withInstructionsFetch(host.conversation, {
      fetch: async () => await Promise.resolve(new Response(new Blob([text]).stream())),
    });
    const response = await send('http://lab/v1/responses', { method: 'POST', body: JSON.stringify(stream) });
    expect(new TextDecoder('utf8', { ignoreBOM: true }).decode(await response.arrayBuffer())).toBe(text);
  }
  expect(host.log.filter(({ level }) => level === 'error')).toEqual([]);
});
