import { afterEach, describe, expect, it } from 'vitest';

import type { ConnectionManager } from '../../src/servers/connection-manager.js';
import { LabHttp, type LabHttpScript } from '../fixtures/servers/lab-http.js';
import { Folder, lab, livingProcesses, manage, reach, snapshot } from './support/lab.js';
import { ManualClock } from './support/manual-clock.js';

const open: Array<() => Promise<void>> = [];

function start(...parameters: Parameters<typeof manage>): ReturnType<typeof manage> {
  const made = manage(...parameters);
  open.unshift(() => made.manager.close());
  return made;
}

async function startLab(script: LabHttpScript, port?: number): Promise<LabHttp> {
  const lab = await LabHttp.start(script, port);
  open.push(() => lab.close().catch(() => {}));
  return lab;
}

async function connect(manager: ConnectionManager, lab: LabHttp): Promise<void> {
  manager.add('one', { url: lab.url });
  await manager.whenSettled();
}

afterEach(async () => {
  for (const close of open.splice(0)) await close();
  expect(livingProcesses()).toEqual([]);
});

describe('a server that answers with a status', () => {
  it.each([400, 404, 405, 429, 500, 503, 307])('HTTP %i to everything', async (status) => {
    const lab = await startLab({ faults: { '*': { status, body: 'hunter2' } } });
    const { manager, observer } = start({ connectTimeoutMs: 5_000 });
    await connect(manager, lab);
    expect(manager.status('one')?.state).toMatchObject({
      state: 'unavailable',
      reason: { kind: 'http-status', status, message: `the server answered HTTP ${status}` },
    });
    expect(observer.named('server-failed')[0]?.fields).toMatchObject({ reason: 'http-status', status });
    expect(JSON.stringify([manager.status(), observer.events])).not.toContain('hunter2');
    expect(observer.problems).toEqual([]);
  });

  it.each<[string, NonNullable<LabHttpScript['faults']>[string]]>([
    ['HTML', { status: 200, body: '<html>', type: 'text/html' }],
    ['bad JSON', { status: 200, body: '{', type: 'application/json' }],
    ['no RPC', { status: 200, body: '{"a":1}', type: 'application/json' }],
  ])('200 with %s to everything', async (_name, fault) => {
    const lab = await startLab({ faults: { '*': fault } });
    const { manager } = start({ connectTimeoutMs: 5_000 });
    await connect(manager, lab);
    expect(manager.status('one')?.state).toMatchObject({
      state: 'unavailable',
      reason: { kind: 'protocol-error' },
    });
  });

  it('202 to everything, a closed socket, an event stream without a reply', async () => {
    const accepted = await startLab({ faults: { '*': { status: 202 } } });
    const closed = await startLab({ faults: { '*': 'close' } });
    const empty = await startLab({
      faults: { '*': { status: 200, type: 'text/event-stream', body: ': \n\n' } },
    });
    const { manager } = start({ connectTimeoutMs: 800 });
    manager.add('accepted', { url: accepted.url });
    manager.add('closed', { url: closed.url });
    manager.add('empty', { url: empty.url });
    await manager.whenSettled();
    expect(manager.status('accepted')?.state).toMatchObject({ reason: { kind: 'timed-out' } });
    expect(manager.status('closed')?.state).toMatchObject({ reason: { kind: 'unreachable' } });
    expect(manager.status('empty')?.state).toMatchObject({ state: 'unavailable' });
  });
});

it('429 with Retry-After: left alone for as long as it asks', async () => {
  const clock = new ManualClock();
  const lab = await startLab({ faults: { '*': { status: 429, headers: { 'retry-after': '90' } } } });
  const { manager } = start({ clock });
  await connect(manager, lab);
  expect(manager.status('one')?.state).toMatchObject({ state: 'unavailable', retryAt: clock.now() + 90_000 });
});

describe('size', () => {
  it.each(['json', 'stream'] as const)('10 MB of instructions pass, 11 MB do not (%s)', async (form) => {
    const ten = await startLab({ textChars: 10_000_000, stream: form === 'stream' });
    const eleven = await startLab({ textChars: 11_000_000, stream: form === 'stream' });
    const { manager } = start();
    manager.add('ten', { url: ten.url });
    manager.add('eleven', { url: eleven.url });
    await manager.whenSettled();
    expect(snapshot(manager, 'ten').record?.chars).toBe(10_000_000);
    expect(manager.status('eleven')?.state).toMatchObject({ state: 'failed', reason: { kind: 'too-large' } });
  });
});

describe('the older SSE transport', () => {
  it('is used when asked for, and asks for no era', async () => {
    const lab = await startLab({ sse: 'yes', text: 'over SSE' });
    const { manager } = start();
    manager.add('one', { url: lab.url, type: 'sse' });
    await manager.whenSettled();
    expect(snapshot(manager, 'one')).toMatchObject({
      state: { state: 'connected', transport: 'sse', era: 'legacy' },
      record: { value: 'over SSE', source: 'initialize' },
    });
    expect(lab.count('server/discover')).toBe(0);
    const tools = await manager.client('one')?.listTools();
    expect(tools?.tools).toEqual([]);
  });

  it.each([404, 405])('is fallen back to after HTTP %i to `initialize`', async (status) => {
    const lab = await startLab({ sse: 'yes', text: 'over SSE', faults: {} });
    const { manager } = start();
    lab.script = { ...lab.script, refuseWith: status };
    await connect(manager, lab);
    expect(manager.status('one')).toMatchObject({
      transport: 'sse',
      state: { state: 'connected', transport: 'sse' },
    });
  });

  it('that never sends its endpoint is given up at the deadline', async () => {
    const lab = await startLab({ sse: 'silent' });
    const { manager } = start({ connectTimeoutMs: 400 });
    manager.add('one', { url: lab.url, type: 'sse' });
    await manager.whenSettled();
    expect(manager.status('one')?.state).toMatchObject({ reason: { kind: 'timed-out' } });
    await manager.close();
    const { length } = lab.requests;
    await new Promise<void>((resolve) => {
      setTimeout(resolve, 300);
    });
    expect(lab.requests).toHaveLength(length);
  });

  it('is lost when its stream ends', async () => {
    const clock = new ManualClock();
    const lab = await startLab({ sse: 'yes', text: 'x' });
    const { manager } = start({ clock });
    manager.add('one', { url: lab.url, type: 'sse' });
    await manager.whenSettled();
    const lost = reach(manager, 'one', 'unavailable');
    lab.dropStreams();
    expect(await lost).toMatchObject({
      reason: { kind: 'connection-lost', message: 'the event stream ended' },
    });
    const back = reach(manager, 'one', 'connected');
    clock.advance(1_200);
    await back;
  });

  it('a pinned version never ends there', async () => {
    const lab = await startLab({ sse: 'yes' });
    const { manager } = start({ protocol: { pin: '2026-07-28' } });
    await connect(manager, lab);
    expect(manager.status('one')?.state).toMatchObject({ reason: { kind: 'version-refused', status: 405 } });
    expect(lab.requests.every(({ verb }) => verb === 'POST')).toBe(true);
    const { length } = lab.requests;
    manager.add('asked', { url: lab.url, type: 'sse' });
    await manager.whenSettled();
    expect(manager.status('asked')?.state).toMatchObject({
      state: 'failed',
      reason: { kind: 'version-refused' },
    });
    expect(lab.requests).toHaveLength(length);
  });
});

describe('a server over HTTP that goes away', () => {
  it('shows when a request fails; refused, then recovering', async () => {
    const clock = new ManualClock();
    const lab = await startLab({ text: 'first' });
    const { port } = lab;
    const { manager, observer } = start({ clock });
    await connect(manager, lab);
    await lab.close();
    const lost = reach(manager, 'one', 'unavailable');
    await expect(manager.client('one')?.listTools()).rejects.toThrow('fetch failed');
    expect(await lost).toMatchObject({ reason: { kind: 'unreachable' } });
    const again = new Promise<void>((resolve) => {
      manager.on('state', ({ state }) => state.state === 'unavailable' && resolve());
    });
    clock.advance(1_200);
    await again;
    await startLab({ text: 'second' }, port);
    const back = reach(manager, 'one', 'connected');
    clock.advance(2_400);
    await back;
    expect(snapshot(manager, 'one').record?.value).toBe('second');
    expect(observer.named('instructions-changed')).toHaveLength(1);
  });

  it('shows by itself where the host wants it asked again', async () => {
    const clock = new ManualClock();
    const lab = await startLab({ text: 'first' });
    const { manager } = start({ clock, refreshMs: 60_000 });
    await connect(manager, lab);
    lab.script = { text: 'second' };
    const told = new Promise<void>((resolve) => {
      manager.on('instructions', () => resolve());
    });
    clock.advance(60_000);
    await told;
    expect(snapshot(manager, 'one').record?.value).toBe('second');
    await lab.close();
    const lost = reach(manager, 'one', 'unavailable');
    while (manager.client('one') !== undefined) {
      clock.advance(60_000);
      await new Promise<void>((resolve) => {
        setTimeout(resolve, 5);
      });
    }
    await lost;
  });
});

describe('a server over HTTP that hangs', () => {
  const ways: readonly [string, LabHttpScript, 'sse' | undefined][] = [
    ['the newer era', { text: 'x', eras: ['modern'] }, undefined],
    ['the older era', { text: 'x', eras: ['legacy'], sessionFault: { status: 404 } }, undefined],
    ['the older transport', { text: 'x', sse: 'yes' }, 'sse'],
  ];

  async function begin(
    script: LabHttpScript,
    type: 'sse' | undefined,
    options: Parameters<typeof manage>[0] = {},
  ): Promise<{ lab: LabHttp; manager: ConnectionManager; clock: ManualClock }> {
    const clock = new ManualClock();
    const lab = await startLab(script);
    const { manager } = start({ clock, ...options });
    manager.add('one', { url: lab.url, ...(type === undefined ? {} : { type }) });
    await manager.whenSettled();
    return { lab, manager, clock };
  }

  it.each(ways)('%s: a request without an answer, then a check without one, are a loss', async (...way) => {
    const [, script, type] = way;
    const { lab, manager, clock } = await begin(script, type);
    lab.script = { ...script, faults: { '*': 'hang' } };
    await expect(manager.client('one')?.listTools({}, { timeout: 30 })).rejects.toThrow('timed out');
    await expect.poll(() => lab.count('ping')).toBe(1);
    expect(manager.client('one')).toBeDefined();
    const lost = reach(manager, 'one', 'unavailable');
    clock.advance(10_000);
    expect(await lost).toMatchObject({
      reason: { kind: 'connection-lost', message: 'the server no longer answers' },
    });
    lab.script = script;
    const back = reach(manager, 'one', 'connected');
    await expect.poll(() => clock.nextMs).toBeDefined();
    clock.advance(1_200);
    await back;
  });

  it.each(ways)('%s: a tool that takes too long is no loss', async (...way) => {
    const [, script, type] = way;
    const { lab, manager, clock } = await begin(script, type);
    const client = manager.client('one');
    lab.script = { ...script, faults: { 'tools/list': 'hang' } };
    await expect(client?.listTools({}, { timeout: 30 })).rejects.toThrow('timed out');
    await expect.poll(() => lab.count('ping')).toBe(1);
    lab.script = script;
    await expect(client?.listTools()).resolves.toBeDefined();
    clock.advance(10_000);
    await expect(client?.listTools()).resolves.toBeDefined();
    expect(manager.client('one')).toBe(client);
  });

  it('a request that the host takes back is one without an answer', async () => {
    const { lab, manager, clock } = await begin({ text: 'x' }, undefined);
    lab.script = { faults: { '*': 'hang' } };
    const controller = new AbortController();
    const call = manager.client('one')?.listTools({}, { signal: controller.signal });
    await expect.poll(() => lab.count('tools/list')).toBe(1);
    controller.abort();
    await expect(call).rejects.toThrow('aborted');
    await expect.poll(() => lab.count('ping')).toBe(1);
    const lost = reach(manager, 'one', 'unavailable');
    clock.advance(10_000);
    await lost;
  });

  it('what is heard of it meanwhile shows that it is there', async () => {
    const { lab, manager, clock } = await begin({ text: 'x' }, undefined);
    const client = manager.client('one');
    lab.script = { text: 'x', faults: { 'tools/call': 'hang', ping: 'hang' } };
    await expect(client?.callTool({ name: 'x' }, { timeout: 30 })).rejects.toThrow('timed out');
    await expect.poll(() => lab.count('ping')).toBe(1);
    await client?.listTools();
    clock.advance(10_000);
    await client?.listTools();
    expect(manager.client('one')).toBe(client);
  });

  it.each(['modern', 'legacy'] as const)('shows at a refresh (%s)', async (era) => {
    const { lab, manager, clock } = await begin({ text: 'x', eras: [era] }, undefined, {
      connectTimeoutMs: 1_000,
    });
    lab.script = { faults: { '*': 'hang' } };
    expect(await manager.refresh('one')).toBeUndefined();
    await expect.poll(() => lab.count('ping')).toBe(1);
    const lost = reach(manager, 'one', 'unavailable');
    clock.advance(10_000);
    await lost;
  });
});

it('one broken request over a server that is there costs no connection, and no other request', async () => {
  const lab = await startLab({ text: 'x', toolsDelayMs: 200 });
  const { manager } = start();
  await connect(manager, lab);
  const client = manager.client('one');
  const slow = client?.listTools();
  lab.script = { ...lab.script, faults: { 'tools/call': 'close' } };
  await expect(client?.callTool({ name: 'x' })).rejects.toThrow('fetch failed');
  await expect(slow).resolves.toMatchObject({ tools: [] });
  expect(manager.client('one')).toBe(client);
});

describe('a session that the server forgot', () => {
  const lostBy = {
    404: { status: 404 },
    400: { status: 400, body: 'No valid session ID' },
    503: { status: 503, body: 'unknown session' },
  };
  it.each(Object.entries(lostBy))(
    'HTTP %s: one new session for any number of calls, each repeated once',
    async (_status, sessionFault) => {
      const lab = await startLab({ text: 'text', numbered: true, eras: ['legacy'], sessionFault });
      const { manager, observer } = start();
      await connect(manager, lab);
      const client = manager.client('one');
      await client?.listTools();
      lab.forgetSessions();
      const answers = await Promise.all(Array.from({ length: 5 }, async () => await client?.listTools()));
      expect(answers).toHaveLength(5);
      expect(lab.count('initialize')).toBe(2);
      expect(lab.count('notifications/initialized')).toBe(2);
      expect(manager.client('one')).toBe(client);
      expect(snapshot(manager, 'one')).toMatchObject({
        state: { state: 'connected' },
        record: { value: 'text 2' },
      });
      expect(observer.named('instructions-changed')).toHaveLength(1);
      await client?.listTools();
      lab.forgetSessions();
      await client?.listTools();
      expect(lab.count('initialize')).toBe(3);
      await manager.close();
      expect(lab.requests.findLast(({ verb }) => verb === 'DELETE')?.session).toBe('session-3');
    },
  );

  it('a server that forgets at once: the error comes up, and nothing loops', async () => {
    const lab = await startLab({ text: 'text', eras: ['legacy'], sessionFault: { status: 404 } });
    const { manager } = start({ clock: new ManualClock() });
    await connect(manager, lab);
    lab.script = { ...lab.script, faults: { 'tools/list': { status: 404 } } };
    await expect(manager.client('one')?.listTools()).rejects.toThrow('Error POSTing');
    expect(lab.count('initialize')).toBe(2);
    expect(lab.count('tools/list')).toBe(2);
    expect(manager.status('one')?.state.state).toBe('connected');
    lab.script = { ...lab.script, faults: { 'tools/list': { status: 404 }, initialize: { status: 500 } } };
    const lost = reach(manager, 'one', 'unavailable');
    await expect(manager.client('one')?.listTools()).rejects.toThrow('Error POSTing');
    expect(await lost).toMatchObject({ reason: { message: 'the session ended and could not be renewed' } });
  });

  it('a status that says nothing of a session renews none', async () => {
    const lab = await startLab({ text: 'text', eras: ['legacy'], sessionFault: { status: 404 } });
    const { manager } = start();
    await connect(manager, lab);
    lab.script = { ...lab.script, faults: { 'tools/list': { status: 503, body: 'overloaded' } } };
    await expect(manager.client('one')?.listTools()).rejects.toThrow('overloaded');
    expect(lab.count('initialize')).toBe(1);
    expect(manager.status('one')?.state.state).toBe('connected');
  });
});

describe('a discover reply that stays valid', () => {
  it('serves a reconnect inside its time, and none after it', async () => {
    const clock = new ManualClock();
    const lab = await startLab({ text: 'text', numbered: true, ttlMs: 60_000 });
    const { manager } = start({ clock });
    await connect(manager, lab);
    const first = snapshot(manager, 'one').record;
    expect(first).toMatchObject({ value: 'text 1', source: 'discover' });
    clock.advance(59_000);
    await manager.reconnect('one');
    expect(snapshot(manager, 'one').record).toEqual({ ...first, source: 'cache' });
    expect(lab.count('server/discover')).toBe(1);
    await expect(manager.client('one')?.listTools()).resolves.toBeDefined();
    clock.advance(1_000);
    await manager.reconnect('one');
    expect(snapshot(manager, 'one').record).toMatchObject({ value: 'text 2', source: 'discover' });
    expect(lab.count('server/discover')).toBe(2);
  });

  it('over stdio a new process is asked: a check that it answers costs no less', async () => {
    using folder = new Folder();
    const { manager } = start();
    manager.add('one', lab({ text: 'text', numbered: true, ttlMs: 60_000, journal: folder.file('j') }));
    await manager.whenSettled();
    await manager.reconnect('one');
    expect(snapshot(manager, 'one').record).toMatchObject({ value: 'text 2', source: 'discover' });
    process.kill(folder.journal('j').findLast((entry) => entry.start !== undefined)?.start ?? 0, 'SIGKILL');
    await reach(manager, 'one', 'unavailable');
    await reach(manager, 'one', 'connected');
    expect(snapshot(manager, 'one').record).toMatchObject({ value: 'text 3', source: 'discover' });
  });

  it('is no evidence that a server is there', async () => {
    const lab = await startLab({ text: 'text', ttlMs: 60_000 });
    const { manager } = start();
    await connect(manager, lab);
    await lab.close();
    await manager.reconnect('one');
    expect(manager.status('one')?.state).toMatchObject({
      state: 'unavailable',
      reason: { kind: 'unreachable' },
    });
  });

  it('never reaches another manager', async () => {
    const lab = await startLab({ text: 'text', numbered: true, ttlMs: 60_000, cacheScope: 'private' });
    const first = start();
    await connect(first.manager, lab);
    const second = start();
    await connect(second.manager, lab);
    expect(snapshot(second.manager, 'one').record).toMatchObject({ value: 'text 2', source: 'discover' });
  });
});

describe('refresh()', () => {
  it.each(['modern', 'legacy'] as const)('pulls a fresh copy over the live connection (%s)', async (era) => {
    const lab = await startLab({ text: 'first', eras: [era] });
    const { manager, observer } = start();
    await connect(manager, lab);
    const client = manager.client('one');
    lab.script = { text: 42, eras: [era] };
    expect(await manager.refresh('one')).toMatchObject({ value: 42 });
    lab.script = { text: 'third', eras: [era] };
    expect(await manager.refresh('one')).toMatchObject({ value: 'third', era });
    expect(manager.client('one')).toBe(client);
    expect(observer.named('instructions-changed')).toHaveLength(2);
    expect(observer.problems).toEqual([]);
    await expect(manager.refresh('nobody')).rejects.toMatchObject({ code: 'UNKNOWN_SERVER' });
  });

  it('a server that does not answer gives no record, and needs a connection', async () => {
    const lab = await startLab({ text: 'first' });
    const { manager } = start();
    await connect(manager, lab);
    lab.script = { faults: { 'server/discover': { status: 500 } } };
    expect(await manager.refresh('one')).toBeUndefined();
    expect(snapshot(manager, 'one').record?.value).toBe('first');
    manager.add('gone', { url: 'http://127.0.0.1:9/' });
    await manager.whenSettled();
    await expect(manager.refresh('gone')).rejects.toMatchObject({ code: 'NOT_CONNECTED' });
  });
});
