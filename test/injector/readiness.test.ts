import { describe, expect, it, onTestFinished } from 'vitest';

import { InstructionsError } from '../../src/errors.js';
import { LabHttp } from '../fixtures/servers/lab-http.js';
import { Folder, lab, reach } from '../servers/support/lab.js';
import { ManualClock } from '../servers/support/manual-clock.js';
import { startHost } from '../support/host.js';

const silent = lab({ discover: 'hang', initialize: 'hang' });

async function serve(...parameters: Parameters<typeof LabHttp.start>): Promise<LabHttp> {
  const server = await LabHttp.start(...parameters);
  onTestFinished(() => server.close());
  return server;
}

describe('a required server that does not connect', () => {
  const ways = ['ends', 'no program', 'wants credentials', 'refuses', 'says no to its version'] as const;
  it.each(ways)('%s: ready() rejects although another server is silent', async (way) => {
    const guarded = await serve({ faults: { '*': { status: 401 } } });
    const legacy = await serve({ eras: ['legacy'] });
    const configs = {
      ends: [lab({ exitOnSpawn: true }), 'exited', 'unavailable'],
      'no program': [{ command: 'no-such-program-here' }, 'spawn-failed', 'unavailable'],
      'wants credentials': [{ url: guarded.url }, 'unauthorized', 'needs-auth'],
      refuses: [{ url: 'http://127.0.0.1:9/' }, 'unreachable', 'unavailable'],
      'says no to its version': [
        { url: legacy.url, protocol: { pin: '2026-07-28' } },
        'version-refused',
        'failed',
      ],
    } as const;
    const [config, kind, state] = configs[way];
    // Nothing but the failure can end the wait: the clock of the silent server stands still.
    const { injector } = await startHost({
      clock: new ManualClock(),
      servers: { silent, bad: { ...config, required: true } },
    });
    const error: unknown = await injector.ready().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(InstructionsError);
    expect(error).toMatchObject({ code: 'REQUIRED_SERVER', cause: { kind } });
    expect(String(error)).toContain(
      `server "bad": expected a connection, since it is required; it is ${state}`,
    );
    expect(injector.connections.status('silent')?.state.state).toBe('connecting');
    // Known already: told at once.
    await expect(injector.ready({ waitMs: 0 })).rejects.toMatchObject({ code: 'REQUIRED_SERVER' });
  });

  it('the cause tells as much as the state, and holds nothing that the server printed', async () => {
    const { injector } = await startHost({
      servers: { bad: { ...lab({ exitOnSpawn: true }), required: true } },
    });
    const error: unknown = await injector.ready().catch((reason: unknown) => reason);
    const cause: unknown = error instanceof Error ? error.cause : undefined;
    expect(cause).toMatchObject({ kind: 'exited', process: { exitCode: 3, stderrTail: 'cannot start' } });
    expect(JSON.stringify(cause)).not.toContain('cannot start');
  });
});

describe('ready() goes on', () => {
  it('where a server that nobody requires fails', async () => {
    const { injector } = await startHost({
      servers: { bad: lab({ exitOnSpawn: true }), good: { ...lab({ text: 'x' }), required: true } },
    });
    expect(await injector.ready()).toEqual({ settled: true, pending: [] });
  });

  it('where a required server is still connecting when the wait is over', async () => {
    const clock = new ManualClock();
    const { injector } = await startHost({ clock, servers: { slow: { ...silent, required: true } } });
    const waiting = injector.ready({ waitMs: 5_000 });
    clock.advance(5_000);
    expect(await waiting).toEqual({ settled: false, pending: ['slow'] });
  });

  it('where one that failed is back', async () => {
    using folder = new Folder();
    const clock = new ManualClock();
    const { injector } = await startHost({
      clock,
      servers: { one: { ...lab({ journal: folder.file('j'), text: 'x' }), required: true } },
    });
    await injector.ready();
    const lost = reach(injector.connections, 'one', 'unavailable');
    process.kill(folder.journal('j')[0]?.start ?? 0, 'SIGKILL');
    await lost;
    await expect(injector.ready()).rejects.toMatchObject({ cause: { kind: 'connection-lost' } });
    const back = reach(injector.connections, 'one', 'connected');
    await expect.poll(() => clock.nextMs).toBeDefined();
    clock.advance(1_200);
    await back;
    expect(await injector.ready()).toEqual({ settled: true, pending: [] });
  });
});
