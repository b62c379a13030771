import { describe, expect, it, vi } from 'vitest';
import type { LedgerData } from '../../src/conversation/ledger-data.js';
import { InstructionsError } from '../../src/errors.js';
import type { MessagesRequest } from '../../src/formats/messages-request.js';
import type { LedgerStore } from '../../src/stores/ledger-store.js';
import { assistant, user } from '../support/engine.js';
import { MODEL, startHost, type TestHost } from '../support/host.js';
import { prefixBreak, readRequest } from '../support/request-reader.js';

type Message = MessagesRequest['messages'][number];

function storeOver(stored: Map<string, string>): LedgerStore {
  return {
    get: (key) => stored.get(key),
    set: (key, value) => stored.set(key, value),
    delete: (key) => stored.delete(key),
  };
}

async function send(
  { conversation }: TestHost,
  ...messages: Message[]
): Promise<MessagesRequest['messages']> {
  const prepared = await conversation.prepare({ model: MODEL, messages });
  await prepared.commit();
  expect(readRequest(prepared.request.messages).faults).toEqual([]);
  return prepared.request.messages;
}

const onlyLedger = (stored: Map<string, string>): LedgerData =>
  JSON.parse([...stored.values()][0]!) as LedgerData;

describe('a ledger of a newer version', () => {
  it('in the store: the conversation starts afresh here, loudly, and the newer ledger stays as it is', async () => {
    const stored = new Map<string, string>();
    const old = await startHost({ store: storeOver(stored) });
    old.injector.adopt('docs', { instructions: 'Docs text.' });
    await send(old, user('q'));
    const newer = JSON.stringify({ ...onlyLedger(stored), version: 2, entries: { later: 'shape' } });
    for (const key of stored.keys()) stored.set(key, newer);

    const host = await startHost({ store: storeOver(stored) });
    host.injector.adopt('docs', { instructions: 'Docs text.' });
    const one = await send(host, user('q'), assistant('a'), user('r'));
    expect(readRequest(one).inForce.size).toBe(1);
    host.injector.adopt('late', { instructions: 'Late text.' });
    const two = await send(host, user('q'), assistant('a'), user('r'), assistant('b'), user('s'));
    expect(prefixBreak(one, two)).toBe(-1);
    await host.injector.close();
    expect([...stored.values()]).toEqual([newer]);
    expect(host.log.filter(({ level }) => level === 'warn')).toMatchObject([
      { event: 'ledger-lost', conversation: 'chat', reason: 'newer-version', version: '2' },
    ]);
  });

  it('given by the host is refused, with what was expected and what came', async () => {
    const { injector } = await startHost();
    const refused = (): unknown => injector.conversation('x', { ledger: { version: 2 } as never });
    expect(refused).toThrow(InstructionsError);
    expect(refused).toThrow('ledger.version: expected at most 1, got 2');
  });

  it('a ledger that is none: the conversation starts afresh, loudly, and is saved', async () => {
    const stored = new Map<string, string>();
    const first = await startHost({ store: storeOver(stored) });
    first.injector.adopt('docs', { instructions: 'Docs text.' });
    await send(first, user('q'));
    for (const key of stored.keys()) stored.set(key, '{"version":1,"entries":7}');
    const host = await startHost({ store: storeOver(stored) });
    host.injector.adopt('docs', { instructions: 'Docs text.' });
    await send(host, user('q'));
    expect(onlyLedger(stored).entries).toHaveLength(1);
    expect(host.log.filter(({ level }) => level === 'warn')).toMatchObject([
      { event: 'ledger-lost', reason: 'unusable' },
    ]);
  });
});

describe('what is stored', () => {
  it('stays bounded while a window slides over a long history', async () => {
    const stored = new Map<string, string>();
    const host = await startHost({ store: storeOver(stored) });
    host.injector.adopt('docs', { instructions: 'Docs text.' });
    const sizes: number[] = [];
    const history: Message[] = [];
    for (let turn = 0; turn < 150; turn += 1) {
      history.push(user(`question ${turn}`));
      await send(host, ...history.slice(-5));
      history.push(assistant(`answer ${turn}`));
      sizes.push(onlyLedger(stored).entries.length);
    }
    expect(Math.max(...sizes)).toBeLessThanOrEqual(64 + 5);
    expect(onlyLedger(stored).blocks).toHaveLength(1);
  });

  it('keeps a long branch of each of two writers', async () => {
    const stored = new Map<string, string>();
    const hosts = [
      await startHost({ store: storeOver(stored) }),
      await startHost({ store: storeOver(stored) }),
    ];
    const branches = ['left', 'right'].map((side) =>
      Array.from({ length: 90 }, (_, turn) => [user(`${side} ${turn}`), assistant(`answer ${turn}`)]).flat(),
    );
    const before: MessagesRequest['messages'][] = [];
    for (let length = 1; length < 180; length += 2) {
      for (const [side, host] of hosts.entries()) {
        host.injector.adopt('docs', { instructions: `Text ${length}.` });
        const messages = await send(host, ...branches[side]!.slice(0, length));
        expect(prefixBreak(before[side] ?? [], messages)).toBe(-1);
        before[side] = messages;
      }
    }
    expect(onlyLedger(stored).entries.length).toBeGreaterThanOrEqual(90);
  });

  it('holds each text once, and grows little by a turn that has no news', async () => {
    const { injector, conversation } = await startHost();
    for (let server = 0; server < 50; server += 1) {
      injector.adopt(`server-${server}`, { instructions: `Text of server ${server}. `.repeat(40) });
    }
    const history: Message[] = [];
    const sizes: number[] = [];
    for (let turn = 0; turn < 40; turn += 1) {
      history.push(user(`question ${turn}`));
      const prepared = await conversation.prepare({ model: MODEL, messages: [...history] });
      await prepared.commit();
      history.push(assistant('a'));
      sizes.push(JSON.stringify(conversation).length);
    }
    expect((sizes.at(-1)! - sizes[0]!) / 39).toBeLessThan(100);
    expect(sizes[0]).toBeLessThan(60_000);
  });
});

describe('the middleware', () => {
  const body = (...messages: Message[]): string => JSON.stringify({ model: MODEL, max_tokens: 64, messages });
  const request = (text: string, path = '/v1/messages') => ({
    url: `http://x${path}`,
    method: 'POST',
    body: text,
  });
  const context = (): { options: object; parse: () => Promise<never> } => ({
    options: {},
    parse: () => Promise.reject(new Error('the answer was parsed')),
  });

  /** Counts how often a body is parsed and written while something runs. */
  async function count(work: () => Promise<unknown>): Promise<{ parsed: number; written: number }> {
    const parse = vi.spyOn(JSON, 'parse');
    const stringify = vi.spyOn(JSON, 'stringify');
    try {
      await work();
      const isBody = (value: unknown): boolean =>
        typeof value === 'object' && value !== null && ('messages' in value || 'requests' in value);
      return {
        parsed: parse.mock.calls.filter(([text]) => text.includes('max_tokens')).length,
        written: stringify.mock.calls.filter(([value]) => isBody(value)).length,
      };
    } finally {
      parse.mockRestore();
      stringify.mockRestore();
    }
  }

  it('parses a body once a call and writes it once if something is placed, whatever the attempts', async () => {
    const { injector, conversation } = await startHost();
    injector.adopt('docs', { instructions: 'Docs text.' });
    const middleware = conversation.middleware();
    const ok = async (): Promise<Response> => new Response('{}');
    const busy = async (): Promise<Response> => new Response('{}', { status: 529 });
    const attempts = context();
    const told = body(user('q'));
    expect(
      await count(async () => {
        await middleware(request(told), busy, attempts);
        await middleware(request(told), busy, attempts);
        await middleware(request(told), ok, attempts);
      }),
    ).toEqual({ parsed: 1, written: 1 });

    const { injector: other, conversation: quiet } = await startHost();
    other.adopt('docs', { instructions: '' });
    expect(await count(() => quiet.middleware()(request(told), ok, context()))).toEqual({
      parsed: 1,
      written: 0,
    });
    expect(await count(() => middleware(request(told, '/v1/models'), ok, context()))).toEqual({
      parsed: 0,
      written: 0,
    });
  });
});
