import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface, type Interface } from 'node:readline';
import { text } from 'node:stream/consumers';

import { afterEach, describe, expect, it, onTestFinished } from 'vitest';

import type { ServerConfig } from '../../src/servers/server-config.js';
import { LabHttp, type LabHttpScript } from '../fixtures/servers/lab-http.js';
import { fixture, Folder, lab, livingProcesses, testMarker } from './support/lab.js';

afterEach(async () => {
  await expect.poll(() => livingProcesses()).toEqual([]);
});

/** A host in a process of its own. */
class IdleHost {
  readonly process: ChildProcess;
  readonly errors: Promise<string>;
  readonly ended: Promise<unknown[]>;
  readonly #lines: AsyncIterator<string>;

  constructor(servers: Record<string, ServerConfig>) {
    this.process = spawn(process.execPath, [fixture('idle-host.mjs')], {
      env: { ...process.env, HOST_SERVERS: JSON.stringify(servers), LAB_MARKER: testMarker },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    onTestFinished(() => void this.process.kill('SIGKILL'));
    this.ended = once(this.process, 'exit');
    this.errors = text(this.process.stderr!);
    const lines: Interface = createInterface({ input: this.process.stdout! });
    this.#lines = lines[Symbol.asyncIterator]();
  }

  /** @returns `undefined` when it has ended */
  async line(): Promise<string | undefined> {
    const { done, value } = await this.#lines.next();
    return done === true ? undefined : value;
  }

  /** A process with nothing left to wait for ends before it could be asked so often. */
  async isStaying(): Promise<boolean> {
    for (let count = 0; count < 20; count += 1) {
      this.process.kill('SIGUSR2');
      if ((await this.line()) !== 'here') return false;
    }
    return true;
  }
}

async function serve(script: LabHttpScript): Promise<LabHttp> {
  const server = await LabHttp.start(script);
  onTestFinished(() => server.close().catch(() => {}));
  return server;
}

describe('a host that never calls close()', () => {
  it('is kept by a server that runs as a process, and by nothing else once that is gone', async () => {
    using folder = new Folder();
    const host = new IdleHost({ one: lab({ text: 'x', journal: folder.file('j') }) });
    expect(await host.line()).toBe('connected');
    expect(await host.isStaying()).toBe(true);
    process.kill(folder.journal('j')[0]?.start ?? 0, 'SIGKILL');
    expect(await host.ended).toEqual([0, null]);
    // No pause before another attempt keeps it.
    expect(folder.journal('j').filter(({ start }) => start !== undefined)).toHaveLength(1);
  });

  it.each(['modern', 'legacy'] as const)('is not kept by a server over HTTP (%s)', async (era) => {
    const server = await serve({ text: 'x', eras: [era] });
    const host = new IdleHost({ one: { url: server.url } });
    expect(await host.line()).toBe('connected');
    expect(await host.ended).toEqual([0, null]);
  });

  it('is kept by a stream that stays open, as over the older transport', async () => {
    const server = await serve({ text: 'x', sse: 'yes' });
    const host = new IdleHost({ one: { url: server.url, type: 'sse' } });
    expect(await host.line()).toBe('connected');
    expect(await host.isStaying()).toBe(true);
    await server.close();
    expect(await host.ended).toEqual([0, null]);
  });

  it('is not kept by servers that are not there', async () => {
    const host = new IdleHost({
      none: { command: 'no-such-program-here' },
      dead: lab({ exitOnSpawn: true }),
    });
    expect(await host.line()).toBe('unavailable unavailable');
    expect(await host.ended).toEqual([0, null]);
  });

  it('and is killed: its servers see the end of their input', async () => {
    const host = new IdleHost({ one: lab({ text: 'x' }) });
    expect(await host.line()).toBe('connected');
    expect(livingProcesses()).toHaveLength(2);
    host.process.kill('SIGKILL');
    expect(await host.ended).toEqual([null, 'SIGKILL']);
    await expect.poll(() => livingProcesses()).toEqual([]);
  });
});

it('nothing of ours is written to the terminal of a host that wants no log', async () => {
  const refusing = await serve({ faults: { '*': { status: 500, body: 'SECRET' } } });
  const guarded = await serve({ faults: { '*': { status: 401 } } });
  const odd = await serve({ text: 42 });
  const host = new IdleHost({
    noisy: lab({ text: 'x', noise: true, stderrBytes: 10_000 }),
    dead: lab({ exitOnSpawn: true }),
    refusing: { url: refusing.url },
    guarded: { url: guarded.url },
    odd: { url: odd.url },
  });
  expect(await host.line()).toBe('connected unavailable unavailable needs-auth connected');
  host.process.kill('SIGTERM');
  expect(await host.errors).toBe('');
});
