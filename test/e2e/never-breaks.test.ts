import { describe, expect, it } from 'vitest';
import { AnthropicMessages, type MessagesRequest } from '../../src/formats/anthropic-messages.js';
import type { LedgerStore } from '../../src/stores/ledger-store.js';
import { memoryStore } from '../../src/stores/memory-store.js';
import { systemClock } from '../../src/servers/clock.js';
import { keepLog, MODEL, startHost } from '../support/host.js';
import { prefixBreak, readRequest } from '../support/request-reader.js';

const user = (content: string) => ({ role: 'user' as const, content });
const answer = { role: 'assistant' as const, content: 'a' };
const request = (...messages: MessagesRequest['messages']): MessagesRequest => ({ model: MODEL, messages });

/** The format of the Messages API, with one method that fails from some call on. */
function failing(method: 'accepts' | 'read' | 'write', allowedCalls = 0): AnthropicMessages {
  const format = new AnthropicMessages();
  const original = format[method].bind(format) as (...parameters: unknown[]) => unknown;
  let calls = 0;
  Object.defineProperty(format, method, {
    value: (...parameters: unknown[]) => {
      calls += 1;
      if (calls > allowedCalls) throw new RangeError(`${method} failed`);
      return original(...parameters);
    },
  });
  return format;
}

function brokenStore(parts: Partial<LedgerStore>): LedgerStore {
  const store = memoryStore();
  return {
    get: (key) => store.get(key),
    set: (key, value) => store.set(key, value),
    delete: (key) => store.delete(key),
    ...parts,
  };
}

describe('a failure of ours never breaks a model call', () => {
  it.each(['accepts', 'read', 'write'] as const)(
    'a format that fails in %s: the request goes out as it came',
    async (method) => {
      const { injector, conversation, log } = await startHost();
      injector.adopt('docs', { instructions: 'One.' });
      const given = request(user('q'));
      const prepared = await conversation.prepare(given, { format: failing(method) });
      expect(prepared.request).toBe(given);
      expect(prepared.report).toMatchObject({ placed: false, reason: 'no-place' });
      expect(log.filter((line) => line.event === 'injection-failed')).toHaveLength(1);
      await prepared.commit();
      prepared.discard();
    },
  );

  it('a write that fails once: what is recorded stays in place, only the news is dropped', async () => {
    const { injector, conversation } = await startHost();
    injector.adopt('docs', { instructions: 'One.' });
    const first = await conversation.prepare(request(user('q')));
    injector.adopt('late', { instructions: 'Late.' });
    const format = new AnthropicMessages();
    const write = format.write.bind(format);
    let calls = 0;
    format.write = (given, placements) => {
      calls += 1;
      if (calls === 1) throw new RangeError('write failed');
      return write(given, placements);
    };
    const second = await conversation.prepare(request(user('q'), answer, user('r')), { format });
    expect(prefixBreak(first.request.messages, second.request.messages)).toBe(-1);
    expect([...readRequest(second.request.messages).inForce.keys()]).toEqual(['docs']);
    const third = await conversation.prepare(request(user('q'), answer, user('r'), answer, user('s')));
    expect(prefixBreak(second.request.messages, third.request.messages)).toBe(-1);
    expect([...readRequest(third.request.messages).inForce.keys()]).toEqual(['docs', 'late']);
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('SECRET');
      },
    ],
    ['rejects', () => Promise.reject(new Error('SECRET'))],
    ['gives null', () => null as never],
  ])('an adopted source that %s is away, and kept through the grace', async (_, broken) => {
    let now = 1_000_000;
    const clock = { ...systemClock, elapsed: () => now };
    const { injector, conversation, log } = await startHost({ clock, unavailableGraceMs: 60_000 });
    let source: () => unknown = () => ({ instructions: 'One.' });
    injector.adopt('docs', (() => source()) as never);
    const first = await conversation.prepare(request(user('q')));
    source = broken;
    const away = await conversation.prepare(request(user('q'), answer, user('r')));
    expect(prefixBreak(first.request.messages, away.request.messages)).toBe(-1);
    expect(away.report.servers[0]).toMatchObject({ outcome: 'told', change: null });
    now += 60_000;
    const gone = await conversation.prepare(request(user('q'), answer, user('r'), answer, user('s')));
    expect(gone.report.servers[0]).toMatchObject({ outcome: 'withdrawn', change: 'removed' });
    expect(readRequest(gone.request.messages).inForce.size).toBe(0);
    expect(JSON.stringify(log)).not.toContain('SECRET');
  });

  it('an adopted source that never answers is waited for once, and no longer than its limit', async () => {
    const timers: (() => void)[] = [];
    const clock = {
      now: () => 0,
      elapsed: () => 0,
      setTimeout: (callback: () => void) => timers.push(callback),
      clearTimeout: () => {},
    };
    const { injector, conversation } = await startHost({ clock });
    injector.adopt('docs', { getInstructions: () => new Promise(() => {}) });
    const waiting = conversation.prepare(request(user('q')));
    await expect.poll(() => timers.length).toBeGreaterThan(0);
    for (const fire of timers.splice(0)) fire();
    expect((await waiting).report.servers[0]).toMatchObject({ outcome: 'pending' });
    const again = await conversation.prepare(request(user('q'), answer, user('r')));
    expect(again.report.servers[0]).toMatchObject({ outcome: 'pending' });
  });

  it('an audience that throws', async () => {
    const { injector, log } = await startHost();
    injector.adopt('docs', { instructions: 'One.' });
    const conversation = injector.conversation('other', {
      servers: () => {
        throw new Error('SECRET');
      },
    });
    const given = request(user('q'));
    const prepared = await conversation.prepare(given);
    expect(prepared.request).toBe(given);
    expect(log.some((line) => line.event === 'injection-failed')).toBe(true);
    expect(JSON.stringify(log)).not.toContain('SECRET');
  });

  it('an onReport that throws, and a logger that throws', async () => {
    const { logger } = keepLog();
    const { injector, conversation } = await startHost({
      logger: {
        ...logger,
        info: () => {
          throw new Error('no disk');
        },
      },
      onReport: () => {
        throw new Error('host bug');
      },
    });
    injector.adopt('docs', { instructions: 'One.' });
    const prepared = await conversation.prepare(request(user('q')));
    expect(readRequest(prepared.request.messages).inForce.size).toBe(1);
  });

  it('messages that cannot be read', async () => {
    const { injector, conversation } = await startHost();
    injector.adopt('docs', { instructions: 'One.' });
    const hostile = {
      model: MODEL,
      get messages(): never {
        throw new Error('no messages');
      },
    };
    const prepared = await conversation.prepare(hostile as never);
    expect(prepared.request).toBe(hostile);
  });

  it('a body that is not JSON goes out as it came', async () => {
    const { conversation } = await startHost();
    const sent: unknown[] = [];
    const middleware = conversation.middleware();
    const given = { url: 'https://api.example.com/v1/messages', method: 'POST', body: '{nonsense' };
    const response = await middleware(
      given,
      async (request) => {
        sent.push(request);
        return new Response('{}');
      },
      { parse: async () => undefined as never },
    );
    expect(response.ok).toBe(true);
    expect(sent).toEqual([given]);
  });
});

describe('a store that fails', () => {
  it.each<[string, Partial<LedgerStore>]>([
    [
      'throws',
      {
        get: () => {
          throw new Error('SECRET');
        },
      },
    ],
    ['rejects', { get: () => Promise.reject(new Error('SECRET')) }],
  ])('that %s and was never read: the request goes out as it came', async (_, parts) => {
    const { injector, conversation, log } = await startHost({ store: brokenStore(parts) });
    injector.adopt('docs', { instructions: 'One.' });
    const given = request(user('q'));
    const prepared = await conversation.prepare(given);
    expect(prepared.request).toBe(given);
    expect(prepared.report.reason).toBe('prefix-lost');
    expect(log.filter((line) => line.event === 'prefix-lost')).toMatchObject([
      { level: 'error', conversation: 'chat', model: MODEL },
    ]);
    expect(log.filter((line) => line.event === 'store-failed')).toHaveLength(1);
    expect(JSON.stringify(log)).not.toContain('SECRET');
  });

  it('that fails later: the copy in the process goes on', async () => {
    let isDown = false;
    const memory = memoryStore();
    const store = brokenStore({
      get: (key) => {
        if (isDown) throw new Error('down');
        return memory.get(key);
      },
      set: (key, value) => {
        if (isDown) throw new Error('down');
        memory.set(key, value);
      },
    });
    const { injector, conversation, log } = await startHost({ store });
    injector.adopt('docs', { instructions: 'One.' });
    const first = await conversation.prepare(request(user('q')));
    await first.commit();
    isDown = true;
    injector.adopt('late', { instructions: 'Late.' });
    const second = await conversation.prepare(request(user('q'), answer, user('r')));
    await second.commit();
    expect(prefixBreak(first.request.messages, second.request.messages)).toBe(-1);
    expect(readRequest(second.request.messages).inForce.size).toBe(2);
    expect(log.filter((line) => line.event === 'store-failed').length).toBeGreaterThanOrEqual(1);
  });

  it('that holds a ledger of a newer version: the conversation starts afresh, loudly', async () => {
    const memory = memoryStore();
    const store = brokenStore({
      get: () => JSON.stringify({ version: 99 }),
      set: (key, value) => memory.set(key, value),
    });
    const { injector, conversation, log } = await startHost({ store });
    injector.adopt('docs', { instructions: 'One.' });
    const prepared = await conversation.prepare(request(user('q')));
    expect(prepared.report.placed).toBe(true);
    expect(log.some((line) => line.event === 'ledger-lost' && line.level === 'warn')).toBe(true);
  });
});

describe('two processes that take turns over one store', () => {
  it('extend each other’s requests', async () => {
    const store = memoryStore();
    const left = await startHost({ store });
    const right = await startHost({ store });
    for (const { injector } of [left, right]) injector.adopt('docs', { instructions: 'One.' });
    const first = await left.conversation.prepare(request(user('q')));
    await first.commit();
    right.injector.adopt('late', { instructions: 'Late.' });
    left.injector.adopt('late', { instructions: 'Late.' });
    const second = await right.conversation.prepare(request(user('q'), answer, user('r')));
    await second.commit();
    const third = await left.conversation.prepare(request(user('q'), answer, user('r'), answer, user('s')));
    expect(prefixBreak(first.request.messages, second.request.messages)).toBe(-1);
    expect(prefixBreak(second.request.messages, third.request.messages)).toBe(-1);
    expect(readRequest(third.request.messages).faults).toEqual([]);
    expect(third.report.reason).toBe('no-news');
  });
});

describe('disabled', () => {
  it('leaves a new conversation untouched', async () => {
    const { injector, conversation } = await startHost({ disabled: true });
    injector.adopt('docs', { instructions: 'One.' });
    const given = request(user('q'));
    const prepared = await conversation.prepare(given);
    expect(prepared.request).toBe(given);
    expect(prepared.report.reason).toBe('disabled');
  });

  it('keeps what a conversation was told', async () => {
    const before = await startHost();
    before.injector.adopt('docs', { instructions: 'One.' });
    const first = await before.conversation.prepare(request(user('q')));
    await first.commit();
    const { injector } = await startHost({}, { MCP_INSTRUCTIONS_DISABLED: '1' });
    const conversation = injector.conversation('chat', { ledger: before.conversation.toJSON() });
    const next = await conversation.prepare(request(user('q'), answer, user('r')));
    expect(prefixBreak(first.request.messages, next.request.messages)).toBe(-1);
    expect(next.report.reason).toBe('disabled');
  });
});
