import type { AuthProvider } from '@modelcontextprotocol/client';
import { afterEach, describe, expect, it } from 'vitest';

import type { ConnectionManager } from '../../src/servers/connection-manager.js';
import type { HttpServerConfig } from '../../src/servers/server-config.js';
import { LabHttp, type LabHttpFault, type LabHttpScript } from '../fixtures/servers/lab-http.js';
import { manage, reach, snapshot } from './support/lab.js';
import { ManualClock } from './support/manual-clock.js';

const open: Array<() => Promise<void>> = [];

afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

const script: LabHttpScript = { text: 'text', numbered: true, ttlMs: 60_000 };

async function begin(
  extra: Partial<HttpServerConfig> = {},
): Promise<{ readonly lab: LabHttp; readonly manager: ConnectionManager }> {
  const lab = await LabHttp.start(script);
  const { manager } = manage({ clock: new ManualClock() });
  open.push(
    () => manager.close(),
    () => lab.close(),
  );
  manager.add('one', { url: lab.url, ...extra });
  await manager.whenSettled();
  expect(snapshot(manager, 'one').record).toMatchObject({ value: 'text 1', source: 'discover' });
  return { lab, manager };
}

describe('a text that was said to one user', () => {
  it('is not told where somebody else may be asking by now', async () => {
    let token = 'of-one';
    const authProvider: AuthProvider = { token: async () => token };
    const { lab, manager } = await begin({ authProvider });
    lab.script = { ...script, faults: { '*': { status: 401 } } };
    const waiting = reach(manager, 'one', 'needs-auth');
    await expect(manager.client('one')?.listTools()).rejects.toThrow('Unauthorized');
    await waiting;
    lab.script = script;
    token = 'of-another';
    await manager.reconnect('one');
    expect(snapshot(manager, 'one').record).toMatchObject({ value: 'text 2', source: 'discover' });
    expect(lab.requests.at(-1)?.authorization).toBe('Bearer of-another');
    token = 'of-a-third';
    await manager.reconnect('one');
    expect(snapshot(manager, 'one').record).toMatchObject({ value: 'text 3', source: 'discover' });
  });

  it('is not told where the host carries the requests, and may add what it likes', async () => {
    const { manager } = await begin({ fetch: async (url, init) => await fetch(url, init) });
    await manager.reconnect('one');
    expect(snapshot(manager, 'one').record).toMatchObject({ value: 'text 2', source: 'discover' });
  });

  it.each([401, 403])('is not told by a server that refuses with HTTP %i, nor later', async (status) => {
    const { lab, manager } = await begin();
    lab.script = { ...script, faults: { '*': { status } } };
    await manager.reconnect('one');
    expect(manager.status('one')?.state).toMatchObject({ state: 'needs-auth', reason: { status } });
    expect(manager.client('one')).toBeUndefined();
    lab.script = script;
    await manager.reconnect('one');
    expect(snapshot(manager, 'one').record).toMatchObject({ value: 'text 2', source: 'discover' });
  });
});

describe('a server that is another one now', () => {
  const other: LabHttpScript = { text: 'other', eras: ['legacy'] };

  it.each<[string, LabHttpFault]>([
    ['HTTP 400', { status: 400 }],
    ['HTTP 404', { status: 404 }],
    ['HTTP 429', { status: 429 }],
    ['HTTP 503', { status: 503 }],
  ])('does not confirm its text, with %s: it is asked in the same attempt', async (_, ping) => {
    const { lab, manager } = await begin();
    lab.script = { ...other, faults: { ping } };
    await manager.reconnect('one');
    expect(snapshot(manager, 'one')).toMatchObject({
      state: { state: 'connected', era: 'legacy', attempt: 1 },
      record: { value: 'other', source: 'initialize' },
    });
  });

  const signs: Record<string, (manager: ConnectionManager) => Promise<unknown>> = {
    'a request that is refused': async (manager) => await manager.client('one')?.listTools(),
    'a request that meets an error': async (manager) => await manager.client('one')?.callTool({ name: 'x' }),
    'a refresh without an answer': async (manager) => await manager.refresh('one'),
  };
  it.each(Object.keys(signs))('shows at %s, and the host can bring it back', async (name) => {
    const { lab, manager } = await begin({ connectTimeoutMs: 500 });
    const silence = { status: 200, type: 'text/event-stream', isEndless: true };
    lab.script = { ...other, faults: { 'tools/list': { status: 400 }, 'server/discover': silence } };
    await manager.reconnect('one');
    expect(snapshot(manager, 'one').record).toMatchObject({ value: 'text 1', source: 'cache' });
    await signs[name]?.(manager).catch(() => {});
    lab.script = other;
    await manager.reconnect('one');
    expect(snapshot(manager, 'one')).toMatchObject({
      state: { era: 'legacy' },
      record: { value: 'other', source: 'initialize' },
    });
    lab.script = script;
    await manager.reconnect('one');
    expect(snapshot(manager, 'one').record).toMatchObject({ source: 'discover' });
  });
});
