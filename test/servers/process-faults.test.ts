import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { fixture, Folder, lab, livingProcesses, reach, snapshot, testMarker } from './support/lab.js';
import { start } from './support/started.js';

describe('what a process may say', () => {
  it('256 KB on standard error without a line end: read, its end kept', async () => {
    using folder = new Folder();
    const { manager } = start();
    manager.add('one', lab({ stderrBytes: 262_144, text: 'x', journal: folder.file('j') }));
    await manager.whenSettled();
    expect(snapshot(manager, 'one').record?.value).toBe('x');
    process.kill(folder.journal('j')[0]?.start ?? 0, 'SIGTERM');
    const state = await reach(manager, 'one', 'unavailable');
    const trace = 'reason' in state ? state.reason?.process : undefined;
    expect(trace).toMatchObject({ exitCode: undefined, signal: 'SIGTERM' });
    expect(trace?.stderrTail).toHaveLength(8_191);
    expect(trace?.stderrTail.endsWith('last')).toBe(true);
  });

  it('lines that are no messages, half JSON, a byte order mark, bytes one by one with CRLF', async () => {
    const { manager } = start();
    const text = 'Größe 漢字 \u{1F600}';
    manager.add('modern', lab({ noise: true, splitBytes: true, text }));
    manager.add('legacy', lab({ noise: true, splitBytes: true, text, eras: ['legacy'] }));
    await manager.whenSettled();
    expect(snapshot(manager, 'modern').record?.value).toBe(text);
    expect(snapshot(manager, 'legacy').record?.value).toBe(text);
  });

  it('-32603 to everything', async () => {
    const { manager } = start();
    manager.add('one', lab({ discover: -32603, initialize: -32603 }));
    await manager.whenSettled();
    expect(manager.status('one')?.state).toMatchObject({
      state: 'unavailable',
      reason: { kind: 'protocol-error', message: 'the server refused `initialize` (error -32603)' },
    });
  });

  it.each(['modern', 'legacy'] as const)('10 MB of instructions pass, 11 MB do not (%s)', async (era) => {
    const { manager } = start();
    manager.add('ten', lab({ textChars: 10_000_000, eras: [era] }));
    manager.add('eleven', lab({ textChars: 11_000_000, eras: [era] }));
    await manager.whenSettled();
    expect(snapshot(manager, 'ten').record).toMatchObject({ chars: 10_000_000, era });
    expect(manager.status('eleven')?.state).toMatchObject({ state: 'failed', reason: { kind: 'too-large' } });
  });
});

describe('how a process may end', () => {
  it('at once: exit code and last words are known', async () => {
    const { manager, observer } = start();
    manager.add('one', lab({ exitOnSpawn: true }));
    await manager.whenSettled();
    expect(manager.status('one')?.state).toMatchObject({
      state: 'unavailable',
      reason: { kind: 'exited', process: { exitCode: 3, stderrTail: 'cannot start' } },
    });
    expect(observer.named('server-failed')[0]?.fields).toMatchObject({ reason: 'exited', exitCode: 3 });
    expect(observer.problems).toEqual([]);
  });

  it('right after its reply: a failure, or a loss, and no error that nobody hears', async () => {
    const unheard: unknown[] = [];
    const listen = (error: unknown): void => void unheard.push(error);
    process.on('unhandledRejection', listen);
    const { manager } = start();
    const ids = ['modern', 'legacy'] as const;
    for (const id of ids) manager.add(id, lab({ exitAfterHandshakeMs: 0, text: 'half', eras: [id] }));
    for (const id of ids) {
      const state = await reach(manager, id, 'unavailable');
      const kind = 'reason' in state ? state.reason?.kind : undefined;
      // Whether its end is seen before it counts as connected is a matter of milliseconds, and of the machine.
      const wasConnected = kind === 'connection-lost';
      if (!wasConnected) expect(kind).toBe('exited-after-handshake');
      expect(snapshot(manager, id).record !== undefined).toBe(wasConnected);
      expect(state).toMatchObject({ reason: { process: { exitCode: 6 } } });
    }
    process.off('unhandledRejection', listen);
    expect(unheard).toEqual([]);
  });

  it('by a signal', async () => {
    using folder = new Folder();
    const { manager } = start();
    manager.add('one', lab({ journal: folder.file('j'), text: 'x' }));
    await manager.whenSettled();
    const pid = folder.journal('j')[0]?.start ?? 0;
    process.kill(pid, 'SIGKILL');
    const state = await reach(manager, 'one', 'unavailable');
    expect(state).toMatchObject({ reason: { kind: 'connection-lost', process: { signal: 'SIGKILL' } } });
    expect(manager.client('one')).toBeUndefined();
    expect(snapshot(manager, 'one').record?.value).toBe('x');
    expect(snapshot(manager, 'one').unavailableSince).toBeTypeOf('number');
  });

  it('not found, and not allowed', async () => {
    using folder = new Folder();
    writeFileSync(folder.file('plain'), 'text');
    const { manager } = start();
    manager.add('none', { command: 'no-such-program-here' });
    manager.add('plain', { command: folder.file('plain') });
    manager.add('folder', { command: process.execPath, cwd: folder.file('nowhere') });
    manager.add('file', { command: process.execPath, cwd: folder.file('plain') });
    await manager.whenSettled();
    const program = 'the program could not be started';
    const place = `${program}, as its \`cwd\` is no directory that is there`;
    expect(manager.status('none')?.state).toMatchObject({
      reason: { kind: 'spawn-failed', code: 'ENOENT', message: `${program} (ENOENT)` },
    });
    const { state } = manager.status('none') ?? {};
    expect(state).toHaveProperty('reason.process.exitCode', undefined);
    expect(manager.status('plain')?.state).toMatchObject({
      reason: { kind: 'spawn-failed', code: 'EACCES' },
    });
    expect(manager.status('folder')?.state).toMatchObject({
      reason: { kind: 'spawn-failed', code: 'ENOENT', message: `${place} (ENOENT)` },
    });
    expect(manager.status('file')?.state).toMatchObject({
      reason: { kind: 'spawn-failed', code: 'ENOTDIR', message: `${place} (ENOTDIR)` },
    });
  });
});

describe('what a process may leave', () => {
  it.each([
    ['ignores the end of input and SIGTERM', { ignoreInputEnd: true, ignoreSigterm: true }],
    ['has a child in its group', { grandchild: 'same-group' }],
    ['has a child in a session of its own', { grandchild: 'own-session' }],
  ] as const)('%s: nothing is left after close()', async (_name, script) => {
    const { manager } = start();
    manager.add('one', lab({ ...script, text: 'x' }));
    await manager.whenSettled();
    expect(manager.client('one')).toBeDefined();
    await manager.close();
    expect(livingProcesses()).toEqual([]);
  });

  it('wrapped in `sh -c`: the server behind the shell goes, too', async () => {
    const { manager } = start();
    // A shell gives its background processes no input, so it is handed over by another descriptor.
    const command = `exec 3<&0; '${process.execPath}' '${fixture('lab-stdio.mjs')}' <&3 & wait`;
    manager.add('one', lab({ ignoreInputEnd: true, text: 'x' }, { command: 'sh', args: ['-c', command] }));
    await manager.whenSettled();
    expect(snapshot(manager, 'one').record?.value).toBe('x');
    expect(livingProcesses()).toHaveLength(2);
    await manager.close();
    expect(livingProcesses()).toEqual([]);
  });

  it.each(['same-group', 'own-session'] as const)(
    'dies and leaves a child that holds its pipes (%s): seen at once, and the child ends',
    async (grandchild) => {
      using folder = new Folder();
      const { manager } = start();
      manager.add('one', lab({ grandchild, text: 'x', journal: folder.file('j') }));
      await manager.whenSettled();
      const lost = reach(manager, 'one', 'unavailable');
      process.kill(folder.journal('j')[0]?.start ?? 0, 'SIGKILL');
      await lost;
      await manager.remove('one');
      expect(livingProcesses()).toEqual([]);
    },
  );

  it('a lock file: the next process of an id starts when the last one is gone', async () => {
    using folder = new Folder();
    const { manager } = start();
    const lockFile = folder.file('lock');
    const config = lab({ lockFile, journal: folder.file('j'), slowExitMs: 400, text: 'x' });
    manager.add('one', config);
    await manager.whenSettled();
    await manager.reconnect('one');
    expect(manager.status('one')?.state.state).toBe('connected');
    manager.add('one', config);
    await manager.whenSettled();
    expect(manager.status('one')?.state.state).toBe('connected');
    expect(folder.journal('j').filter((entry) => entry.start !== undefined)).toHaveLength(3);
  });
});

it('the environment: what is inherited, what is given, what is kept back', async () => {
  using folder = new Folder();
  process.env['HOST_SECRET'] = 'secret';
  const { manager } = start();
  const code = `require('fs').writeFileSync(${JSON.stringify(folder.file('env'))}, JSON.stringify(process.env))`;
  manager.add('one', {
    command: process.execPath,
    args: ['-e', code],
    env: { TOKEN: 'x', NONE: undefined, LAB_MARKER: testMarker },
  });
  await manager.whenSettled();
  const seen: unknown = JSON.parse(readFileSync(folder.file('env'), 'utf8'));
  expect(seen).toMatchObject({ TOKEN: 'x', PATH: process.env['PATH'] });
  expect(seen).not.toHaveProperty('HOST_SECRET');
  expect(seen).not.toHaveProperty('NONE');
  delete process.env['HOST_SECRET'];
});

describe('the end of the host', () => {
  it('in the turn in which it started a process: no process outlives it', async () => {
    const child = spawn(process.execPath, [fixture('host.mjs'), 'in-turn'], {
      env: { ...process.env, LAB_MARKER: testMarker },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    expect(await once(child, 'exit')).toEqual([9, null]);
    await expect.poll(() => livingProcesses(), { timeout: 5_000 }).toEqual([]);
  });

  const ways = ['exit', 'throw', 'signal'] as const;
  it.each(ways)('%s: no process outlives it', async (way) => {
    const child = spawn(process.execPath, [fixture('host.mjs'), way], {
      env: { ...process.env, LAB_MARKER: testMarker },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = once(child, 'exit');
    const [line]: unknown[] = await once(child.stdout, 'data');
    expect(String(line)).toContain('connected');
    if (way === 'signal') child.kill('SIGTERM');
    await exited;
    // The system takes a killed process down in its own time.
    await expect.poll(() => livingProcesses(), { timeout: 5_000 }).toEqual([]);
  });
});
