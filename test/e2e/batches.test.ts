import type Anthropic from '@anthropic-ai/sdk';
import { describe, expect, it } from 'vitest';
import { MODEL, startHost, type TestHost } from '../support/host.js';
import { prefixBreak, readRequest } from '../support/request-reader.js';

type Messages = Parameters<typeof readRequest>[0];
type Params = Anthropic.MessageParam[];

const ask = (content: string): Anthropic.MessageParam => ({ role: 'user', content });
const answer = (content: string): Anthropic.MessageParam => ({ role: 'assistant', content });
const params = (messages: Params) => ({ model: MODEL, max_tokens: 64, messages });

async function sendBatch({ claude, endpoint }: TestHost, items: readonly Params[]): Promise<Messages[]> {
  await claude.messages.batches.create({
    requests: items.map((messages, at) => ({ custom_id: `item-${at}`, params: params(messages) })),
  });
  const body = endpoint.requests.at(-1)!.body as unknown as {
    requests: { params: { messages: Messages } }[];
  };
  return body.requests.map((item) => item.params.messages);
}

async function send({ claude, endpoint }: TestHost, messages: Params): Promise<Messages> {
  await claude.messages.create(params(messages));
  return endpoint.requests.at(-1)!.body.messages;
}

describe('a batch', () => {
  it('of branches from one trunk: each is told the news once, and each can be gone on with', async () => {
    const host = await startHost();
    host.injector.adopt('docs', { instructions: 'Docs text.' });
    const trunk = [ask('q'), answer('a')];
    const first = await send(host, [ask('q')]);
    host.injector.adopt('late', { instructions: 'Late text.' });
    const items = ['one', 'two', 'three'].map((prompt) => [...trunk, ask(prompt)]);
    const sent = await sendBatch(host, items);
    expect(host.reports.slice(1).map((report) => report.servers.map(({ change }) => change))).toEqual(
      items.map(() => [null, 'added']),
    );
    for (const [at, messages] of sent.entries()) {
      expect(readRequest(messages).faults).toEqual([]);
      expect(readRequest(messages).inForce.size).toBe(2);
      expect(prefixBreak(first, messages)).toBe(-1);
      const on = await send(host, [...items[at]!, answer('b'), ask('on')]);
      expect(prefixBreak(messages, on)).toBe(-1);
      expect(readRequest(on).faults).toEqual([]);
    }
    expect(host.reports.slice(-3).map((report) => report.reason)).toEqual(['no-news', 'no-news', 'no-news']);
  });

  it('that is refused leaves no record', async () => {
    const host = await startHost({
      answer: () => ({ status: 400, error: { type: 'invalid_request_error', message: 'no' } }),
    });
    host.injector.adopt('docs', { instructions: 'Docs text.' });
    await expect(sendBatch(host, [[ask('one')], [ask('two')]])).rejects.toThrow('400');
    expect(host.conversation.toJSON().entries).toEqual([]);
  });

  it('that the SDK sends again is the same, byte for byte', async () => {
    let isBusy = true;
    const host = await startHost({
      answer: () => {
        if (!isBusy) return undefined;
        isBusy = false;
        host.injector.adopt('late', { instructions: 'Late text.' });
        return { status: 529, error: { type: 'overloaded_error', message: 'busy' } };
      },
    });
    host.injector.adopt('docs', { instructions: 'Docs text.' });
    await sendBatch(host, [[ask('one')], [ask('two')]]);
    expect(host.endpoint.requests).toHaveLength(2);
    expect(host.endpoint.requests[1]!.raw).toBe(host.endpoint.requests[0]!.raw);
    expect(host.conversation.toJSON().entries.map(([, entry]) => entry.committed)).toEqual([true, true]);
  });
});
