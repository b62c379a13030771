import { describe, expect, it } from 'vitest';
import type { Conversation } from '../../src/injector.js';
import type { Report } from '../../src/cost/report.js';
import type { MessagesRequest } from '../../src/formats/messages-request.js';
import { assistant, results, user } from '../support/engine.js';
import { MODEL, startHost, type TestHost } from '../support/host.js';
import { deepFreeze, prefixBreak, readRequest } from '../support/request-reader.js';

type Message = MessagesRequest['messages'][number];
interface Request extends MessagesRequest {
  readonly tools?: readonly { readonly name: string }[];
}

async function startWith(...ids: string[]): Promise<TestHost> {
  const host = await startHost();
  for (const id of ids) host.injector.adopt(id, { instructions: `${id} text` });
  return host;
}

async function send(
  conversation: Conversation,
  messages: Message[],
  tools: string[] = [],
): Promise<{ messages: MessagesRequest['messages']; told: string[]; report: Report }> {
  const request: Request = deepFreeze({ model: MODEL, messages, tools: tools.map((name) => ({ name })) });
  const prepared = await conversation.prepare<Request>(request);
  await prepared.commit();
  const reading = readRequest(prepared.request.messages);
  expect(reading.faults).toEqual([]);
  return {
    messages: prepared.request.messages,
    told: [...reading.inForce.keys()].toSorted(),
    report: prepared.report,
  };
}

/** Only servers whose tools are in the request: this host names its tools `server__tool`. */
const usesItsTools = (id: string, request: unknown): boolean =>
  ((request as Request).tools ?? []).some(({ name }) => name.startsWith(`${id}__`));

describe('an audience', () => {
  it('of ids: the others are excluded, and the report says so', async () => {
    const { injector } = await startWith('docs', 'tickets', 'wiki');
    const { told, report } = await send(injector.conversation('a', { servers: ['docs', 'wiki'] }), [
      user('q'),
    ]);
    expect(told).toEqual(['docs', 'wiki']);
    expect(report.servers).toMatchObject([
      { id: 'docs', outcome: 'told', change: 'added' },
      { id: 'tickets', outcome: 'excluded', change: null, tokens: 0, sentChars: 0 },
      { id: 'wiki', outcome: 'told', change: 'added' },
    ]);
    expect(report.pending).toEqual([]);
  });

  it('by the request at hand: each change of tools is a delta', async () => {
    const { injector } = await startWith('docs', 'tickets');
    const conversation = injector.conversation('a', { servers: usesItsTools });
    const history: Message[] = [user('q')];
    const one = await send(conversation, [...history], ['docs__search']);
    expect(one.told).toEqual(['docs']);
    history.push(assistant('a'), user('r'));
    const two = await send(conversation, [...history], ['docs__search', 'tickets__open']);
    expect(two.told).toEqual(['docs', 'tickets']);
    history.push(assistant('b'), user('s'));
    const three = await send(conversation, [...history], ['tickets__open']);
    expect(three.told).toEqual(['tickets']);
    history.push(assistant('c'), user('t'));
    const four = await send(conversation, [...history], ['docs__search', 'tickets__open']);
    expect(four.told).toEqual(['docs', 'tickets']);
    expect([one, two, three, four].map(({ report }) => report.servers.map(({ change }) => change))).toEqual([
      ['added', null],
      [null, 'added'],
      ['removed', null],
      ['restored', null],
    ]);
    for (const [before, after] of [
      [one, two],
      [two, three],
      [three, four],
    ] as const) {
      expect(prefixBreak(before.messages, after.messages)).toBe(-1);
    }
  });

  it('that is narrower under another handle of the conversation takes texts back, at once and without grace', async () => {
    const { injector } = await startWith('docs', 'tickets');
    await send(injector.conversation('a'), [user('q')]);
    const { told, report } = await send(injector.conversation('a', { servers: ['docs'] }), [
      user('q'),
      assistant('a'),
      user('r'),
    ]);
    expect(told).toEqual(['docs']);
    expect(report.servers[1]).toMatchObject({ id: 'tickets', outcome: 'excluded', change: 'removed' });
  });

  it('of nobody: nothing is told', async () => {
    const { injector } = await startWith('docs');
    const request = deepFreeze({ model: MODEL, messages: [user('q')] });
    const prepared = await injector.conversation('a', { servers: [] }).prepare(request);
    expect(prepared.request).toBe(request);
  });
});

describe('a sub-agent', () => {
  it('has its own conversation: told exactly its servers, and nothing of it reaches the main one', async () => {
    const { injector } = await startWith('docs', 'tickets');
    const main = injector.conversation('chat');
    const sub = injector.conversation('chat/agent-1', { servers: ['tickets'] });
    expect((await send(main, [user('q')])).told).toEqual(['docs', 'tickets']);
    expect((await send(sub, [user('look into it')])).told).toEqual(['tickets']);
    expect(main.toJSON().entries).toHaveLength(1);
    expect(sub.toJSON().entries).toHaveLength(1);
  });

  it('that starts from a copy of the history is told the news of its own, once, as the main loop is', async () => {
    const { injector } = await startWith('docs');
    const main = injector.conversation('chat');
    await send(main, [user('q')]);
    const sub = injector.conversation('chat/agent-1', { ledger: main.toJSON() });
    injector.adopt('late', { instructions: 'late text' });
    const trunk = [user('q'), assistant('a')];
    const [mine, theirs] = await Promise.all([
      send(main, [...trunk, user('main loop')]),
      send(sub, [...trunk, user('sub task')]),
    ]);
    for (const { told, report } of [mine, theirs]) {
      expect(told).toEqual(['docs', 'late']);
      expect(report.servers.map(({ change }) => change)).toEqual([null, 'added']);
    }
  });
});

describe('beside requests', () => {
  it('strip takes out blocks of ours and nothing else', async () => {
    const { injector } = await startWith('docs');
    const conversation = injector.conversation('chat');
    const history: Message[] = [
      user([{ type: 'text', text: 'q', cache_control: { type: 'ephemeral' } } as never]),
      { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'x', input: {} } as never] },
      results('t1'),
    ];
    const first = await send(conversation, history.slice(0, 1));
    injector.adopt('late', { instructions: 'late text' });
    const stored = await send(conversation, [...first.messages, ...history.slice(1)]);
    expect(readRequest(stored.messages).inForce.size).toBe(2);
    expect(conversation.strip(deepFreeze(stored.messages))).toEqual(history);
    // Also by a process that has no ledger: blocks are known by how they read.
    expect(injector.conversation('elsewhere').strip(stored.messages)).toEqual(history);
    const others = [user('<system-reminder>\nhost words\n</system-reminder>'), { odd: true }];
    expect(conversation.strip(others)).toEqual(others);
  });

  it('forget: the next request is told everything, and nothing is left in the store', async () => {
    const stored = new Map<string, string>();
    const host = await startHost({
      store: {
        get: (key) => stored.get(key),
        set: (key, value) => stored.set(key, value),
        delete: (key) => stored.delete(key),
      },
    });
    host.injector.adopt('docs', { instructions: 'docs text' });
    await send(host.conversation, [user('q')]);
    expect(stored.size).toBe(1);
    await host.conversation.forget();
    expect(stored.size).toBe(0);
    host.injector.adopt('docs', { instructions: 'other text' });
    const { report } = await send(host.conversation, [user('q')]);
    expect(report).toMatchObject({ reason: 'placed', servers: [{ change: 'added' }] });
  });
});
