import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/servers/clock.js';
import { MODEL, startHost } from '../support/host.js';
import { prefixBreak, readRequest } from '../support/request-reader.js';

const user = (content: string) => ({ role: 'user' as const, content });
const answer = { role: 'assistant' as const, content: 'a' };
const request = (...messages: { role: 'user' | 'assistant'; content: string }[]) => ({
  model: MODEL,
  messages,
});

/** Fails the test when a promise is left to reject unheard. */
function watchRejections(): unknown[] {
  const unheard: unknown[] = [];
  const listener = (reason: unknown): void => {
    unheard.push(reason);
  };
  process.on('unhandledRejection', listener);
  onTestFinished(() => {
    process.off('unhandledRejection', listener);
  });
  return unheard;
}

const turnOfTheLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('callbacks of the host that are async', () => {
  it('an onReport that rejects is logged, and ends nothing', async () => {
    const unheard = watchRejections();
    const rejects = (): unknown => Promise.reject(new Error('SECRET'));
    const { injector, conversation, log } = await startHost({ onReport: rejects });
    injector.adopt('docs', { instructions: 'One.' });
    await conversation.prepare(request(user('q')));
    await turnOfTheLoop();
    expect(unheard).toEqual([]);
    expect(log.filter((line) => line.event === 'report-failed')).toMatchObject([
      { level: 'warn', conversation: 'chat', reason: 'Error' },
    ]);
    expect(JSON.stringify(log)).not.toContain('SECRET');
  });

  it.each([
    ['false', async () => false],
    ['true', async () => true],
    [
      'an error',
      async () => {
        throw new Error('SECRET');
      },
    ],
  ])('an audience that promises %s tells nothing', async (_, servers) => {
    const unheard = watchRejections();
    const { injector, log } = await startHost();
    injector.adopt('docs', { instructions: 'One.' });
    const conversation = injector.conversation('side', { servers: servers as never });
    const prepared = await conversation.prepare(request(user('q')));
    await turnOfTheLoop();
    expect(readRequest(prepared.request.messages).inForce.size).toBe(0);
    expect(unheard).toEqual([]);
    expect(log.some((line) => line.event === 'injection-failed')).toBe(true);
  });
});

describe('arguments that are not what they should be', () => {
  it('null in place of options fails no request', async () => {
    const { injector } = await startHost();
    injector.adopt('docs', { instructions: 'One.' }, null as never);
    const conversation = injector.conversation('x', null as never);
    const prepared = await conversation.prepare(request(user('q')), null as never);
    expect(readRequest(prepared.request.messages).inForce.size).toBe(1);
  });

  it.each([[[5]], ['docs'], [42], [{}]])('an audience of %j is refused', async (servers) => {
    const { injector } = await startHost();
    expect(() => injector.conversation('x', { servers: servers as never })).toThrow(/servers: expected/);
  });

  it('a request whose model cannot be read', async () => {
    const { injector, conversation } = await startHost();
    injector.adopt('docs', { instructions: 'One.' });
    const hostile = {
      ...request(user('q')),
      get model(): never {
        throw new Error('no model');
      },
    };
    const prepared = await conversation.prepare(hostile as never);
    expect(prepared.report.model).toBeNull();
  });

  it('a request that is a revoked proxy', async () => {
    const { injector, conversation } = await startHost();
    injector.adopt('docs', { instructions: 'One.' });
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    const prepared = await conversation.prepare(proxy as never);
    expect(prepared.report.placed).toBe(false);
  });
});

describe('ready', () => {
  it.each([[Number.POSITIVE_INFINITY], [2 ** 40], [Number.NaN], [-1], ['5'], [null], [1.5]])(
    'a wait of %s is refused',
    async (waitMs) => {
      const { injector } = await startHost();
      await expect(injector.ready({ waitMs: waitMs as never })).rejects.toMatchObject({
        code: 'INVALID_OPTION',
      });
    },
  );

  it('a signal that is none is refused; no options are fine', async () => {
    const { injector } = await startHost();
    await expect(injector.ready({ signal: {} as never })).rejects.toMatchObject({ code: 'INVALID_OPTION' });
    expect(await injector.ready(null as never)).toEqual({ settled: true, pending: [] });
    expect(await injector.ready({ waitMs: 0 })).toEqual({ settled: true, pending: [] });
  });
});

describe('sources that hang', () => {
  it('are waited for together', async () => {
    const timers: (() => void)[] = [];
    const clock = {
      ...systemClock,
      setTimeout: (callback: () => void) => timers.push(callback),
      clearTimeout: () => {},
    };
    const { injector, conversation } = await startHost({ clock });
    for (let source = 0; source < 5; source += 1) {
      injector.adopt(`hung-${source}`, { getInstructions: () => new Promise(() => {}) });
    }
    const preparing = conversation.prepare(request(user('q')));
    await expect.poll(() => timers.length).toBe(5);
    for (const fire of timers.splice(0)) fire();
    expect((await preparing).report.pending).toHaveLength(5);
  });

  it('a source taken out while another is waited for is not told', async () => {
    const { injector, conversation } = await startHost();
    let answerSlow = (): void => {};
    const slow = new Promise<string>((resolve) => {
      answerSlow = () => resolve('Slow.');
    });
    injector.adopt('slow', { getInstructions: () => slow });
    injector.adopt('gone', { instructions: 'Gone.' });
    const preparing = conversation.prepare(request(user('q')));
    await injector.remove('gone');
    answerSlow();
    expect([...readRequest((await preparing).request.messages).inForce.keys()]).toEqual(['slow']);
  });
});

describe('reports of what is still told', () => {
  it('a repeated turn whose server was removed: told, and nothing is pending', async () => {
    const { injector, conversation } = await startHost();
    injector.adopt('docs', { instructions: 'One.' });
    await conversation.prepare(request(user('q')));
    await injector.remove('docs');
    const again = await conversation.prepare(request(user('q')));
    expect(again.report).toMatchObject({ reason: 'turn-already-sent', servers: [{ outcome: 'told' }] });
    const next = await conversation.prepare(request(user('q'), answer, user('r')));
    expect(next.report.servers).toMatchObject([{ outcome: 'withdrawn', change: 'removed' }]);
  });

  it('a repeated turn whose server was switched off since', async () => {
    const { injector, conversation } = await startHost();
    injector.adopt('docs', { instructions: 'One.' });
    await conversation.prepare(request(user('q')));
    injector.adopt('docs', { instructions: 'One.' }, { instructions: false });
    const again = await conversation.prepare(request(user('q')));
    expect(again.report.servers).toMatchObject([{ outcome: 'told', change: 'added' }]);
    const next = await conversation.prepare(request(user('q'), answer, user('r')));
    expect(next.report.servers).toMatchObject([{ outcome: 'off', change: 'removed' }]);
  });

  it('disabled: the server is what it is, and told', async () => {
    const before = await startHost();
    before.injector.adopt('docs', { instructions: 'One.' });
    await (await before.conversation.prepare(request(user('q')))).commit();
    const { injector } = await startHost({ disabled: true });
    injector.adopt('docs', { instructions: 'One.' });
    const conversation = injector.conversation('chat', { ledger: before.conversation.toJSON() });
    const next = await conversation.prepare(request(user('q'), answer, user('r')));
    expect(next.report).toMatchObject({
      reason: 'disabled',
      servers: [{ id: 'docs', connection: 'adopted', outcome: 'told', change: null }],
    });
  });

  it('a count says in the log what it costs, not that a block was placed', async () => {
    const { injector, conversation, log } = await startHost();
    injector.adopt('docs', { instructions: 'One.' });
    await conversation.prepare(request(user('q')), { record: false });
    expect(log.map((line) => line.event)).toContain('request-cost');
    expect(log.map((line) => line.event)).not.toContain('block-placed');
  });
});

describe('a conversation in constant use', () => {
  it('outlives 10,000 others that were opened since', async () => {
    const { injector } = await startHost();
    injector.adopt('docs', { instructions: 'One.' });
    const kept = injector.conversation('kept');
    const first = await kept.prepare(request(user('q')));
    for (let other = 0; other < 10_001; other += 1) {
      injector.conversation(`other-${other}`);
      if (other % 5_000 === 0) await kept.prepare(request(user('q')));
    }
    const again = injector.conversation('kept');
    const next = await again.prepare(request(user('q'), answer, user('r')));
    expect(prefixBreak(first.request.messages, next.request.messages)).toBe(-1);
  });
});
