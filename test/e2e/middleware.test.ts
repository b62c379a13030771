import Anthropic from '@anthropic-ai/sdk';
import { describe, expect, it } from 'vitest';
import { MODEL, startHost } from '../support/host.js';
import { deepFreeze, prefixBreak, readRequest } from '../support/request-reader.js';

const ask = (content: string): Anthropic.MessageParam => ({ role: 'user', content });
const params = (...messages: Anthropic.MessageParam[]) => ({ model: MODEL, max_tokens: 64, messages });

function sentMessages(body: unknown): Parameters<typeof readRequest>[0] {
  return (body as { messages: Parameters<typeof readRequest>[0] }).messages;
}

describe('the middleware', () => {
  it('places the block before the prompt, and leaves the caller’s messages alone', async () => {
    const { injector, claude, conversation, endpoint } = await startHost();
    injector.adopt('docs', { instructions: 'Search before you answer.' });
    const given = deepFreeze(params(ask('hello')));
    await claude.messages.create(given);
    expect(endpoint.requests[0]!.body.messages).toEqual([
      {
        role: 'user',
        content: [
          {
            type: 'text',
            text: expect.stringContaining('## docs\nSearch before you answer.\n</system-reminder>'),
          },
          { type: 'text', text: 'hello' },
        ],
      },
    ]);
    expect(conversation.lastReport).toMatchObject({
      conversation: 'chat',
      model: MODEL,
      turn: 1,
      placed: true,
      reason: 'placed',
      pending: [],
      withheld: [],
      servers: [{ id: 'docs', connection: 'adopted', outcome: 'told', change: 'added', source: 'adopted' }],
    });
  });

  it('streams', async () => {
    const { injector, claude, endpoint } = await startHost();
    injector.adopt('docs', { instructions: 'Text.' });
    const message = await claude.messages.stream(params(ask('hello'))).finalMessage();
    expect(message.content[0]).toMatchObject({ type: 'text', text: 'ok' });
    expect(readRequest(sentMessages(endpoint.requests[0]!.body)).inForce.get('docs')).toBe('Text.');
  });

  it.each(['JSON', 'a stream'])('reads what the whole request used, from %s', async (kind) => {
    const usage = { input_tokens: 400, cache_read_input_tokens: 500, cache_creation_input_tokens: 100 };
    const { injector, claude, conversation } = await startHost({ answer: () => ({ content: 'ok', usage }) });
    injector.adopt('docs', { instructions: 'Text.' });
    const message =
      kind === 'JSON'
        ? await claude.messages.create(params(ask('hello')))
        : await claude.messages.stream(params(ask('hello'))).finalMessage();
    expect(message.content[0]).toMatchObject({ type: 'text', text: 'ok' });
    await expect.poll(() => conversation.lastReport?.tokens.share).not.toBeNull();
    const { share, total } = conversation.lastReport!.tokens;
    expect(share).toBe(total / 1000);
  });

  it('sends identical bytes when the SDK retries, whatever changed between the attempts', async () => {
    let calls = 0;
    let change = (): void => {};
    const { injector, claude, endpoint } = await startHost({
      answer: () => {
        calls += 1;
        if (calls > 1) return 'ok';
        change();
        return { status: 529, error: { type: 'overloaded_error', message: 'busy' } };
      },
    });
    injector.adopt('docs', { instructions: 'One.' });
    change = () => injector.adopt('late', { instructions: 'Late.' });
    await claude.messages.create(params(ask('hello')));
    expect(endpoint.requests).toHaveLength(2);
    expect(endpoint.requests[1]!.raw).toBe(endpoint.requests[0]!.raw);

    await claude.messages.create(params(ask('hello'), { role: 'assistant', content: 'ok' }, ask('next')));
    const last = sentMessages(endpoint.requests[2]!.body);
    expect(prefixBreak(sentMessages(endpoint.requests[0]!.body), last)).toBe(-1);
    expect(Object.fromEntries(readRequest(last).inForce)).toEqual({ docs: 'One.', late: 'Late.' });
  });

  it('forgets the plan of a call that ended without a 2xx', async () => {
    let isDown = true;
    const { injector, claude, conversation, endpoint } = await startHost({
      answer: () =>
        isDown ? { status: 400, error: { type: 'invalid_request_error', message: 'no' } } : 'ok',
    });
    injector.adopt('docs', { instructions: 'One.' });
    await expect(claude.messages.create(params(ask('hello')))).rejects.toThrow('400');
    expect(conversation.toJSON().entries).toEqual([]);
    isDown = false;
    injector.adopt('docs', { instructions: 'Two.' });
    await claude.messages.create(params(ask('hello')));
    expect(Object.fromEntries(readRequest(sentMessages(endpoint.requests.at(-1)!.body)).inForce)).toEqual({
      docs: 'Two.',
    });
  });

  it('keeps the plan of a call under way when another call of the same turn fails', async () => {
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { injector, claude, conversation } = await startHost({
      answer: async (_, { number }) => {
        if (number !== 1) return { status: 400, error: { type: 'invalid_request_error', message: 'no' } };
        await held;
        return 'ok';
      },
    });
    injector.adopt('docs', { instructions: 'One.' });
    const first = claude.messages.create(params(ask('hello')));
    await expect.poll(() => conversation.toJSON().entries.length).toBe(1);
    await expect
      .poll(
        async () =>
          (await claude.messages.create(params(ask('hello'))).catch((e: unknown) => e)) instanceof
          Anthropic.BadRequestError,
      )
      .toBe(true);
    expect(conversation.toJSON().entries).toHaveLength(1);
    release();
    await first;
    expect(conversation.toJSON().entries[0]![1].committed).toBe(true);
  });

  it('plans count_tokens without recording it', async () => {
    const { injector, claude, conversation, endpoint } = await startHost();
    injector.adopt('docs', { instructions: 'One.' });
    await claude.messages.countTokens({ model: MODEL, messages: [ask('hello')] });
    expect(readRequest(sentMessages(endpoint.requests[0]!.body)).inForce.size).toBe(1);
    expect(conversation.toJSON().entries).toEqual([]);
  });

  it('records each request of a batch', async () => {
    const { injector, claude, conversation, endpoint } = await startHost();
    injector.adopt('docs', { instructions: 'One.' });
    await claude.messages.batches.create({
      requests: [
        { custom_id: 'a', params: params(ask('one')) },
        { custom_id: 'b', params: params(ask('two')) },
      ],
    });
    const { requests } = endpoint.requests[0]!.body as unknown as {
      requests: { params: { messages: never } }[];
    };
    expect(requests.map(({ params: { messages } }) => readRequest(messages).inForce.size)).toEqual([1, 1]);
    expect(conversation.toJSON().entries).toHaveLength(2);
  });

  it('leaves requests of other kinds and empty messages untouched', async () => {
    const { injector, conversation } = await startHost();
    injector.adopt('docs', { instructions: 'One.' });
    const empty = { model: MODEL, messages: [] };
    expect((await conversation.prepare(empty)).request).toBe(empty);
    const other = { prompt: 'hello' };
    expect((await conversation.prepare(other as never)).request).toBe(other);
  });

  it('works per request, beside the host’s own middleware', async () => {
    const { injector, conversation, endpoint } = await startHost();
    injector.adopt('docs', { instructions: 'One.' });
    const seen: string[] = [];
    const client = new Anthropic({
      baseURL: endpoint.url,
      apiKey: 'k',
      middleware: [
        async (request, next) => {
          seen.push(new URL(request.url).pathname);
          return await next(request);
        },
      ],
    });
    await client.messages.create(params(ask('hello')), { middleware: [conversation.middleware()] });
    expect(seen).toEqual(['/v1/messages']);
    expect(readRequest(sentMessages(endpoint.requests[0]!.body)).inForce.size).toBe(1);
  });

  it('a failed stream keeps its turn: the retry of the turn sends the same bytes', async () => {
    const { injector, conversation } = await startHost();
    injector.adopt('docs', { instructions: 'One.' });
    const first = await conversation.prepare({ model: MODEL, messages: [ask('hello')] });
    await first.commit();
    injector.adopt('late', { instructions: 'Late.' });
    const again = await conversation.prepare({ model: MODEL, messages: [ask('hello')] });
    expect(JSON.stringify(again.request)).toBe(JSON.stringify(first.request));
    expect(again.report).toMatchObject({ reason: 'turn-already-sent', pending: ['late'] });
  });
});
