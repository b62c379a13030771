import { describe, expect, it } from 'vitest';
import { promptFormat } from '../../src/formats/ai-sdk-prompt.js';
import type { MessagesBlock, MessagesMessage } from '../../src/formats/anthropic-messages.js';
import { MODEL, startHost } from '../support/host.js';
import { prefixBreak, readRequest } from '../support/request-reader.js';
import { messagesFault } from '../support/strict-apis.js';

const user = (content: string | MessagesBlock[]): MessagesMessage => ({ role: 'user', content });
const model = (...content: MessagesBlock[]): MessagesMessage => ({ role: 'assistant', content });
const call = (id: string, caller?: unknown): MessagesBlock => ({
  type: 'tool_use',
  id,
  ...(caller === undefined ? {} : { caller }),
});
const result = (id: string): MessagesBlock => ({ type: 'tool_result', tool_use_id: id, content: 'r' });
const program = { type: 'code_execution_20260120', tool_id: 'srvtoolu_1' };

/** Two requests, between which a server comes. */
async function converse(first: MessagesMessage[], then: MessagesMessage[], reuse: boolean) {
  const { injector, conversation } = await startHost();
  injector.adopt('docs', { instructions: 'One.' });
  const before = await conversation.prepare({ model: MODEL, messages: first });
  await before.commit();
  injector.adopt('late', { instructions: 'Two.' });
  const messages = reuse ? [...first, ...then] : structuredClone([...first, ...then]);
  const prepared = await conversation.prepare({ model: MODEL, messages });
  expect(prefixBreak(before.request.messages, prepared.request.messages)).toBe(-1);
  const body = JSON.stringify(prepared.request);
  expect(messagesFault(body, JSON.parse(body))).toBeUndefined();
  return { injector, conversation, prepared, messages };
}

describe.each([true, false])('the answer to a program of the model (same objects: %s)', (reuse) => {
  it('carries nothing of ours; the news waits for the next message', async () => {
    const then = [model(call('a', program)), user([result('a')])];
    const { conversation, prepared, messages } = await converse([user('q')], then, reuse);
    expect(prepared.report).toMatchObject({ reason: 'no-place', pending: ['late'], placed: false });
    await prepared.commit();
    const later = [...messages, model({ type: 'text', text: 'done' }), user('r')];
    const next = await conversation.prepare({ model: MODEL, messages: later });
    expect(prefixBreak(prepared.request.messages, next.request.messages)).toBe(-1);
    expect(next.report).toMatchObject({ reason: 'placed' });
    expect([...readRequest(next.request.messages).inForce.keys()].toSorted()).toEqual(['docs', 'late']);
  });

  it('one such call among others is enough', async () => {
    const then = [model(call('a', { type: 'direct' }), call('b', program)), user([result('a'), result('b')])];
    const { prepared } = await converse([user('q')], then, reuse);
    expect(prepared.report).toMatchObject({ reason: 'no-place', placed: false });
  });

  it.each([
    ['without a caller', undefined],
    ['of the model itself', { type: 'direct' }],
    ['of nobody', null],
  ])('a call %s is an ordinary one', async (_, caller) => {
    const then = [model(call('a', caller)), user([result('a')])];
    const { prepared } = await converse([user('q')], then, reuse);
    expect(prepared.report).toMatchObject({ reason: 'placed', placed: true });
  });

  it('only the newest answer counts', async () => {
    const then = [model(call('a', program)), user([result('a')]), model(call('b')), user([result('b')])];
    const { prepared } = await converse([user('q')], then, reuse);
    expect(prepared.report).toMatchObject({ reason: 'placed' });
  });
});

describe('a prompt of the AI SDK', () => {
  it.each([
    [program, false],
    [{ type: 'direct' }, true],
    [undefined, true],
  ])('after calls by %j: a block follows the results: %s', async (caller, isPlaced) => {
    const { injector, conversation } = await startHost();
    injector.adopt('docs', { instructions: 'One.' });
    const format = promptFormat();
    const question = { role: 'user', content: [{ type: 'text', text: 'q' }] };
    await conversation.prepare({ prompt: [question] }, { format });
    injector.adopt('late', { instructions: 'Two.' });
    const providerOptions = caller === undefined ? undefined : { anthropic: { caller } };
    const part = { type: 'tool-call', toolCallId: 'a', toolName: 't', input: {}, providerOptions };
    const output = { type: 'text', value: 'r' };
    const prompt = [
      question,
      { role: 'assistant', content: [part] },
      {
        role: 'tool',
        content: [{ type: 'tool-result', toolCallId: 'a', toolName: 't', output }],
      },
    ];
    const { request, report } = await conversation.prepare({ prompt }, { format });
    expect(report.placed).toBe(isPlaced);
    expect(request.prompt).toHaveLength(isPlaced ? 4 : 3);
  });
});
