import { createHash } from 'node:crypto';

import { describe, expect, it } from 'vitest';

import type { Protocol } from '../../src/servers/server-config.js';
import { fixture, Folder, lab, livingProcesses, reach, snapshot, testMarker } from './support/lab.js';
import { start } from './support/started.js';

function sdkServer(text: unknown): { command: string; args: string[]; env: Record<string, string> } {
  return {
    command: process.execPath,
    args: [fixture('sdk-stdio.mjs')],
    env: { SDK_TEXT: JSON.stringify(text), LAB_MARKER: testMarker },
  };
}

describe('one server of the 2.x SDK, three ways to ask it', () => {
  const text = 'Call `search` first.\nThe id is opaque.';
  const ways: readonly [Protocol, string, string, string][] = [
    ['legacy', 'legacy', 'initialize', '2025-11-25'],
    ['auto', 'modern', 'discover', '2026-07-28'],
    [{ pin: '2026-07-28' }, 'modern', 'discover', '2026-07-28'],
  ];
  it.each(ways)('%j: the same text, its origin told truly', async (protocol, era, source, version) => {
    const { manager, observer } = start({ protocol });
    const before = Date.now();
    manager.add('one', sdkServer(text));
    expect(manager.settled).toBe(false);
    await manager.whenSettled();
    const { record, state, serverInfo } = snapshot(manager, 'one');
    expect(state).toMatchObject({ state: 'connected', era, protocolVersion: version, transport: 'stdio' });
    expect(record).toMatchObject({
      value: text,
      era,
      source,
      protocolVersion: version,
      chars: text.length,
      sha256: createHash('sha256').update(text).digest('hex'),
    });
    expect(record?.receivedAt).toBeGreaterThanOrEqual(before);
    expect(serverInfo).toEqual({ name: 'sdk-server', version: '1.0.0' });
    const tools = await manager.client('one')?.listTools();
    expect(tools?.tools.map((tool) => tool.name)).toEqual(['ping_tool']);
    expect(observer.problems).toEqual([]);
    expect(observer.named('instructions-received')).toHaveLength(1);
  });
});

describe('what counts as a text is not decided here', () => {
  it.each([
    ['', 0],
    [' ', 1],
    ['a\u0000\u001B[31m\uD800', 8],
  ])('%j arrives as it was sent', async (text, chars) => {
    const { manager } = start();
    manager.add('one', lab({ text }));
    await manager.whenSettled();
    expect(snapshot(manager, 'one').record).toMatchObject({ value: text, chars });
  });

  it('no instructions make a record without a value', async () => {
    const { manager, observer } = start();
    manager.add('one', lab());
    await manager.whenSettled();
    expect(snapshot(manager, 'one').record).toMatchObject({ value: undefined, chars: 0, sha256: undefined });
    expect(observer.named('instructions-absent')).toHaveLength(1);
  });

  it.each(['modern', 'legacy'] as const)(
    'a value that is no string never costs a %s connection',
    async (era) => {
      const { manager } = start();
      const values: Record<string, unknown> = { number: 42, nothing: null, object: { a: 1 }, array: [] };
      for (const [id, text] of Object.entries(values)) manager.add(id, lab({ text, eras: [era] }));
      await manager.whenSettled();
      for (const [id, value] of Object.entries(values)) {
        const { record, state } = snapshot(manager, id);
        expect(state).toMatchObject({ state: 'connected', era });
        expect(record).toMatchObject({ value, chars: 0, sha256: undefined });
      }
    },
  );
});

describe('the question for the era', () => {
  it('a server with two texts: the one of the era that was chosen', async () => {
    const { manager } = start();
    const texts = { discoverText: 'by discover', initializeText: 'by initialize' };
    manager.add('auto', lab(texts));
    manager.add('legacy', { ...lab(texts), protocol: 'legacy' });
    manager.add('only-legacy-has-one', lab({ initializeText: 'by initialize' }));
    await manager.whenSettled();
    expect(snapshot(manager, 'auto').record).toMatchObject({ value: 'by discover', source: 'discover' });
    expect(snapshot(manager, 'legacy').record).toMatchObject({
      value: 'by initialize',
      source: 'initialize',
    });
    expect(snapshot(manager, 'only-legacy-has-one').record).toMatchObject({
      value: undefined,
      source: 'discover',
    });
  });

  it('is asked on the process that is kept', async () => {
    using folder = new Folder();
    const { manager } = start();
    manager.add('legacy', lab({ journal: folder.file('legacy'), eras: ['legacy'], text: 'x' }));
    manager.add('modern', lab({ journal: folder.file('modern'), text: 'x' }));
    await manager.whenSettled();
    const asked = folder.journal('legacy').map((entry) => entry.method ?? 'start');
    expect(asked.slice(0, 4)).toEqual([
      'start',
      'server/discover',
      'initialize',
      'notifications/initialized',
    ]);
    expect(folder.journal('modern').map((entry) => entry.method ?? 'start')).toEqual([
      'start',
      'server/discover',
    ]);
  });

  it('a server that hangs on it connects as legacy, with a warning and without a verdict', async () => {
    using folder = new Folder();
    const { manager, observer } = start({ connectTimeoutMs: 3_000 });
    const script = { journal: folder.file('j'), discover: 'hang', text: 'x' } as const;
    manager.add('one', lab(script));
    await manager.whenSettled();
    expect(snapshot(manager, 'one').state).toMatchObject({ state: 'connected', era: 'legacy' });
    expect(observer.named('era-chosen-by-timeout')).toMatchObject([
      { fields: { server: 'one', era: 'legacy' } },
    ]);
    await manager.reconnect('one');
    const probes = folder.journal('j').filter((entry) => entry.method === 'server/discover');
    expect(probes).toHaveLength(2);
    expect(observer.problems).toEqual([]);
  });

  it('a server that answers it too late gives the text of the handshake that was used', async () => {
    const { manager } = start({ connectTimeoutMs: 1_000 });
    const texts = { discoverText: 'by discover', initializeText: 'by initialize' };
    manager.add('one', lab({ ...texts, discoverDelayMs: 550, initializeDelayMs: 200 }));
    await manager.whenSettled();
    expect(snapshot(manager, 'one').record).toMatchObject({ value: 'by initialize', source: 'initialize' });
  });

  it('a server that ends at it is started once more, and not asked again when it comes back', async () => {
    using folder = new Folder();
    const { manager } = start();
    manager.add('one', lab({ journal: folder.file('j'), discover: 'exit', text: 'x' }));
    await manager.whenSettled();
    expect(snapshot(manager, 'one').state).toMatchObject({ state: 'connected', era: 'legacy' });
    const starts = folder.journal('j').filter((entry) => entry.start !== undefined);
    expect(starts).toHaveLength(2);
    const lost = reach(manager, 'one', 'unavailable');
    process.kill(starts[1]?.start ?? 0, 'SIGKILL');
    await lost;
    await reach(manager, 'one', 'connected');
    expect(folder.journal('j').filter((entry) => entry.start !== undefined)).toHaveLength(3);
    expect(folder.journal('j').filter((entry) => entry.method === 'server/discover')).toHaveLength(1);
  });

  it('a pinned version that is not offered is said, and not fallen back from', async () => {
    const { manager } = start({ protocol: { pin: '2026-07-28' } });
    manager.add('legacy', lab({ eras: ['legacy'] }));
    manager.add('other', lab({ versions: ['2027-01-01'] }));
    await manager.whenSettled();
    for (const id of ['legacy', 'other'])
      expect(manager.status(id)?.state).toMatchObject({
        state: 'failed',
        reason: { kind: 'version-refused', message: 'the server does not offer revision 2026-07-28' },
      });
  });
});

describe('time', () => {
  it('a slow handshake is waited for', async () => {
    const { manager } = start();
    manager.add('slow', lab({ initializeDelayMs: 8_000, eras: ['legacy'], text: 'late' }));
    manager.add('fast', lab({ text: 'early' }));
    await new Promise<void>((resolve) => {
      manager.on('settled', ({ id }) => id === 'fast' && resolve());
    });
    expect(manager.settled).toBe(false);
    expect(manager.status('slow')?.state.state).toBe('connecting');
    await manager.whenSettled();
    expect(snapshot(manager, 'slow').record?.value).toBe('late');
  });

  it.each([
    ['a silent server', { discover: 'hang', initialize: 'hang' }],
    ['progress for ever', { discover: 'hang', initialize: 'hang', progress: true }],
  ] as const)('%s is given up at the deadline, and its process is gone', async (_name, script) => {
    const { manager } = start({ connectTimeoutMs: 400 });
    manager.add('one', lab(script));
    await manager.whenSettled();
    expect(manager.status('one')?.state).toMatchObject({
      state: 'unavailable',
      reason: { kind: 'timed-out' },
    });
    await manager.remove('one');
    expect(livingProcesses()).toEqual([]);
  });

  it('close() while connecting, twice, leaves nothing', async () => {
    const { manager } = start();
    manager.add(
      'one',
      lab({ discover: 'hang', initialize: 'hang', ignoreSigterm: true, ignoreInputEnd: true }),
    );
    manager.add('two', lab({ text: 'x' }));
    await new Promise<void>((resolve) => {
      manager.on('settled', ({ id }) => id === 'two' && resolve());
    });
    await Promise.all([manager.close(), manager.close()]);
    expect(livingProcesses()).toEqual([]);
    expect(manager.status().map(({ state }) => state.state)).toEqual(['removed', 'removed']);
    expect(manager.client('two')).toBeUndefined();
    expect(() => manager.add('three', lab())).toThrow(/closed/);
  });
});
