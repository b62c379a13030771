import { rmSync, writeFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import type { ConnectionManager } from '../../src/servers/connection-manager.js';
import type { ServerState } from '../../src/servers/server-state.js';
import { assistant, user } from '../support/engine.js';
import { MODEL, startHost } from '../support/host.js';
import { Folder, lab, reach, snapshot } from './support/lab.js';
import { ManualClock } from './support/manual-clock.js';
import { start } from './support/started.js';

/** The next time that a state with a retry is entered. */
async function nextRetry(manager: ConnectionManager, id: string): Promise<ServerState> {
  return await new Promise((resolve) => {
    const off = manager.on('state', (event) => {
      if (event.id !== id || !('retryAt' in event.state) || event.state.retryAt === undefined) return;
      off();
      resolve(event.state);
    });
  });
}

function retryMs(state: ServerState, clock: ManualClock): number {
  return 'retryAt' in state && state.retryAt !== undefined ? state.retryAt - clock.now() : Number.NaN;
}

describe('a server that is not there', () => {
  it('is tried fast, then slowly, for ever, and comes back', async () => {
    using folder = new Folder();
    const clock = new ManualClock();
    const { manager } = start({ clock });
    const lockFile = folder.file('lock');
    writeFileSync(lockFile, '');
    manager.add('one', lab({ lockFile, text: 'x', eras: ['legacy'] }, { protocol: 'legacy' }));
    const pauses: number[] = [];
    const names: string[] = [];
    let state = await nextRetry(manager, 'one');
    for (let attempt = 1; attempt <= 9; attempt += 1) {
      pauses.push(retryMs(state, clock));
      names.push(state.state);
      expect(state.attempt).toBe(attempt);
      if (attempt === 9) break;
      const next = nextRetry(manager, 'one');
      clock.advance(retryMs(state, clock));
      state = await next;
    }
    const nominal = [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 300_000, 300_000, 300_000];
    for (const [index, pause] of pauses.entries()) {
      expect(pause).toBeGreaterThanOrEqual((nominal[index] ?? 0) * 0.8);
      expect(pause).toBeLessThanOrEqual((nominal[index] ?? 0) * 1.2);
    }
    expect(names).toEqual([...Array<string>(6).fill('unavailable'), ...Array<string>(3).fill('failed')]);
    // Eight pauses, each spread by a fifth: at the least 0.8 x 661 s.
    expect(snapshot(manager, 'one').unavailableSince).toBeLessThan(clock.now() - 500_000);
    rmSync(lockFile);
    const connected = reach(manager, 'one', 'connected');
    clock.advance(360_000);
    await connected;
    expect(snapshot(manager, 'one').unavailableSince).toBeUndefined();
  });
});

describe('a connection that is lost', () => {
  it('keeps its last text, and takes over the new one when it is back', async () => {
    using folder = new Folder();
    const clock = new ManualClock();
    const { manager, observer } = start({ clock });
    manager.add('one', lab({ journal: folder.file('j'), numbered: true, text: 'text' }));
    await manager.whenSettled();
    const first = snapshot(manager, 'one').record;
    const client = manager.client('one');
    expect(first?.value).toBe('text 1');
    const lost = nextRetry(manager, 'one');
    process.kill(folder.journal('j')[0]?.start ?? 0, 'SIGKILL');
    await lost;
    expect(snapshot(manager, 'one')).toMatchObject({
      record: { value: 'text 1' },
      unavailableSince: clock.now(),
    });
    const back = reach(manager, 'one', 'connected');
    clock.advance(1_200);
    await back;
    const second = snapshot(manager, 'one').record;
    expect(second?.value).toBe('text 2');
    expect(manager.client('one')).not.toBe(client);
    expect(observer.named('instructions-changed')).toMatchObject([
      { fields: { server: 'one', sha256: second?.sha256, previousSha256: first?.sha256 } },
    ]);
    expect(observer.named('server-lost')[0]?.fields).toMatchObject({
      reason: 'connection-lost',
      signal: 'SIGKILL',
    });
    expect(observer.problems).toEqual([]);
  });

  it('starts its pauses anew only after it had held for half a minute', async () => {
    using folder = new Folder();
    const clock = new ManualClock();
    const { manager } = start({ clock });
    manager.add('one', lab({ journal: folder.file('j'), text: 'x' }));
    await manager.whenSettled();
    const kill = async (): Promise<ServerState> => {
      const lost = nextRetry(manager, 'one');
      process.kill(folder.journal('j').findLast((entry) => entry.start !== undefined)?.start ?? 0, 'SIGKILL');
      return await lost;
    };
    const back = async (state: ServerState): Promise<void> => {
      const connected = reach(manager, 'one', 'connected');
      clock.advance(retryMs(state, clock));
      await connected;
    };
    const first = await kill();
    expect(retryMs(first, clock)).toBeLessThanOrEqual(1_200);
    await back(first);
    clock.advance(29_000);
    const second = await kill();
    expect(retryMs(second, clock)).toBeGreaterThanOrEqual(1_600);
    await back(second);
    clock.advance(30_000);
    const third = await kill();
    expect(retryMs(third, clock)).toBeLessThanOrEqual(1_200);
    expect(third.state).toBe('unavailable');
  });
});

describe('a server that connects and ends again', () => {
  it('is named, stays so through its attempts, and is believed when it holds', async () => {
    using folder = new Folder();
    const clock = new ManualClock();
    const { manager, observer } = start({ clock });
    manager.add('one', lab({ journal: folder.file('j'), text: 'x' }));
    const names: string[] = [];
    manager.on('state', ({ state }) => names.push(state.state));
    await manager.whenSettled();
    let state: ServerState | undefined;
    for (let round = 1; round <= 4; round += 1) {
      const lost = nextRetry(manager, 'one');
      process.kill(folder.journal('j').findLast((entry) => entry.start !== undefined)?.start ?? 0, 'SIGKILL');
      state = await lost;
      const held = new Promise<void>((resolve) => {
        const off = manager.on('client', ({ client }) => {
          if (client === undefined) return;
          off();
          resolve();
        });
      });
      clock.advance(retryMs(state, clock));
      await held;
    }
    const blip = ['connecting', 'connected', 'unavailable'];
    const third = ['connecting', 'connected', 'crash-looping'];
    expect(names).toEqual([...blip, ...blip, ...third, ...Array<string>(5).fill('crash-looping')]);
    expect(manager.status('one')?.state).toMatchObject({ state: 'crash-looping', onTrial: true });
    // Its text does not come and go with it: it counts as away until it holds.
    expect(snapshot(manager, 'one').unavailableSince).toBeTypeOf('number');
    expect(manager.client('one')).toBeDefined();
    clock.advance(30_000);
    expect(manager.status('one')?.state.state).toBe('connected');
    expect(snapshot(manager, 'one').unavailableSince).toBeUndefined();
    expect(observer.named('server-crash-looping')).toHaveLength(1);
    expect(observer.problems).toEqual([]);
  });
});

it('a conversation hears of a crash loop once, and once more when it is over', async () => {
  using folder = new Folder();
  const clock = new ManualClock();
  const { injector, conversation } = await startHost({
    clock,
    unavailableGraceMs: 10_000,
    servers: { one: lab({ journal: folder.file('j'), text: 'x' }) },
  });
  const { connections } = injector;
  await injector.ready();
  const messages: ReturnType<typeof user>[] = [];
  const news: unknown[] = [];
  const turn = async (): Promise<void> => {
    messages.push(user(`question ${messages.length}`));
    const prepared = await conversation.prepare({ model: MODEL, messages });
    await prepared.commit();
    news.push(...prepared.report.servers.map(({ change }) => change).filter((change) => change !== null));
    messages.push(assistant('answer'));
  };
  await turn();
  for (let round = 1; round <= 6; round += 1) {
    const lost = nextRetry(connections, 'one');
    process.kill(folder.journal('j').findLast((entry) => entry.start !== undefined)?.start ?? 0, 'SIGKILL');
    const state = await lost;
    await turn();
    const held = new Promise<void>((resolve) => {
      const off = connections.on('client', ({ client }) => {
        if (client === undefined) return;
        off();
        resolve();
      });
    });
    clock.advance(retryMs(state, clock));
    await held;
    await turn();
  }
  expect(connections.status('one')?.state).toMatchObject({ state: 'crash-looping', onTrial: true });
  expect(news).toEqual(['added', 'removed']);
  clock.advance(30_000);
  await turn();
  expect(news).toEqual(['added', 'removed', 'restored']);
  await injector.close();
});

describe('what a host may want meanwhile', () => {
  it('reconnect() ends a pause, and resolves when the attempt ended', async () => {
    const clock = new ManualClock();
    const { manager } = start({ clock });
    manager.add('one', lab({ exitOnSpawn: true }));
    await manager.whenSettled();
    expect(manager.status('one')?.state).toMatchObject({ state: 'unavailable', attempt: 1 });
    await manager.reconnect('one');
    expect(manager.status('one')?.state).toMatchObject({ state: 'unavailable', attempt: 1 });
    await expect(manager.reconnect('nobody')).rejects.toMatchObject({ code: 'UNKNOWN_SERVER' });
  });

  it('a reply without instructions clears the text', async () => {
    using folder = new Folder();
    const { manager } = start();
    const journal = folder.file('j');
    manager.add('one', lab({ journal, text: 'x' }));
    await manager.whenSettled();
    manager.add('two', lab({ text: 'x' }));
    await manager.whenSettled();
    expect(snapshot(manager, 'two').record?.value).toBe('x');
    manager.add('two', lab({}));
    await manager.whenSettled();
    expect(snapshot(manager, 'two').record).toMatchObject({ value: undefined, source: 'discover' });
  });

  it('set() ends what is gone, replaces what changed, and leaves the rest alone', async () => {
    const { manager, observer } = start();
    const same = lab({ text: 'same' });
    manager.set({ same, changes: lab({ text: 'old' }), goes: lab({ text: 'gone' }) });
    await manager.whenSettled();
    const client = manager.client('same');
    manager.set({
      same: { ...same, maxChars: 10, required: true },
      changes: lab({ text: 'new' }),
      comes: lab({ text: 'new' }),
    });
    await manager.whenSettled();
    expect(manager.client('same')).toBe(client);
    expect(snapshot(manager, 'same').config).toMatchObject({ required: true, policy: { maxChars: 10 } });
    expect(snapshot(manager, 'changes').record?.value).toBe('new');
    expect(
      manager
        .status()
        .map(({ id }) => id)
        .sort(),
    ).toEqual(['changes', 'comes', 'same']);
    expect(observer.named('server-removed').map(({ fields }) => fields['server'])).toEqual(['goes']);
    const before = manager.status().length;
    expect(() => manager.set({ bad: { command: '' } })).toThrow(/server "bad": `command`/u);
    expect(manager.status()).toHaveLength(before);
  });

  it('one bad server delays and hides no other; the order stays that of the host', async () => {
    const { manager } = start({ maxParallel: 2, connectTimeoutMs: 2_500 });
    manager.add('no program', { command: 'no-such-program-here' });
    manager.add('refused', { url: 'http://127.0.0.1:9/mcp' });
    manager.add('silent', lab({ discover: 'hang', initialize: 'hang' }));
    manager.add('silent too', lab({ discover: 'hang', initialize: 'hang' }));
    manager.add('__proto__', lab({ text: 'well' }));
    manager.add('constructor', lab({ text: 'well' }));
    await reach(manager, 'constructor', 'connected');
    expect(manager.settled).toBe(false);
    await manager.whenSettled();
    expect(
      manager.status().map(({ id, state }) => [id, 'reason' in state ? state.reason?.kind : state.state]),
    ).toEqual([
      ['no program', 'spawn-failed'],
      ['refused', 'unreachable'],
      ['silent', 'timed-out'],
      ['silent too', 'timed-out'],
      ['__proto__', 'connected'],
      ['constructor', 'connected'],
    ]);
    expect(() => structuredClone(manager.status())).not.toThrow();
  });

  it('whenSettled() can be left, and onClient sees every client before it connects', async () => {
    const seen: string[] = [];
    const { manager } = start({
      connectTimeoutMs: 1_000,
      capabilities: { roots: {} },
      onClient: (id, client) => {
        seen.push(id);
        client.setRequestHandler('roots/list', async () => ({ roots: [] }));
        throw new Error('host');
      },
    });
    manager.add('one', lab({ discover: 'hang', text: 'x' }));
    const controller = new AbortController();
    const left = manager.whenSettled(controller.signal);
    controller.abort(new Error('left'));
    await expect(left).rejects.toThrow('left');
    expect(manager.settled).toBe(false);
    await manager.whenSettled();
    expect(seen).toEqual(['one']);
    expect(manager.client('one')).toBeDefined();
  });

  it.each(['threw', 'rejected'])('a callback that %s ends nothing, and is told', async (how) => {
    // As somebody without types would have it: an async function where none is expected.
    const broken = new Proxy(() => {}, {
      apply: (): unknown => {
        if (how === 'rejected') return Promise.reject(new Error('SECRET'));
        throw new Error('SECRET');
      },
    });
    const { manager, observer } = start({ onClient: broken });
    const names = ['state', 'instructions', 'client', 'settled'] as const;
    for (const name of names) manager.on(name, broken);
    manager.add('one', lab({ text: 'x' }));
    await manager.whenSettled();
    expect(manager.status('one')?.state.state).toBe('connected');
    await expect
      .poll(() => new Set(observer.named('callback-failed').map(({ fields }) => fields['reason'])))
      .toEqual(new Set([...names, 'onClient'].map((name) => `${name}-${how}`)));
    for (const { level, fields } of observer.named('callback-failed'))
      expect([level, fields['server']]).toEqual(['warn', 'one']);
    expect(JSON.stringify(observer.events)).not.toContain('SECRET');
    expect(observer.problems).toEqual([]);
  });

  it('a listener that throws keeps no other from hearing', async () => {
    const { manager } = start();
    manager.on('state', () => {
      throw new Error('host');
    });
    const heard: string[] = [];
    const off = manager.on('instructions', ({ id }) => heard.push(id));
    manager.add('one', lab({ text: 'x' }));
    await manager.whenSettled();
    off();
    await manager.refresh('one');
    expect(manager.status('one')?.state.state).toBe('connected');
    expect(heard).toEqual(['one']);
  });
});
