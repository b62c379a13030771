import { describe, expect, it } from 'vitest';

import { fixture, Folder, lab, livingProcesses, reach } from './support/lab.js';
import { ManualClock } from './support/manual-clock.js';
import { start } from './support/started.js';

describe('a process that floods its standard output', () => {
  it.each(['y', '', '{}', '{"jsonrpc":"2.0"}'])(
    'with %j: it is ended, and another server connects meanwhile',
    async (line) => {
      const { manager } = start({ clock: new ManualClock() });
      manager.add('flood', lab({}, { args: [fixture('lab-rude.mjs'), 'flood', line] }));
      manager.add('good', lab({ text: 'x' }));
      await manager.whenSettled();
      expect(manager.status('flood')?.state).toMatchObject({
        state: 'unavailable',
        reason: { kind: 'protocol-error', message: 'standard output was flooded with lines' },
      });
      expect(manager.status('good')?.state.state).toBe('connected');
    },
  );

  it('with messages: the deadline holds, and another server connects meanwhile', async () => {
    const { manager } = start({ connectTimeoutMs: 4_000 });
    const line = '{"jsonrpc":"2.0","method":"notifications/x"}';
    manager.add('flood', lab({}, { args: [fixture('lab-rude.mjs'), 'flood', line] }));
    manager.add('good', lab({ text: 'x' }));
    await manager.whenSettled();
    expect(manager.status('flood')?.state.state).toBe('unavailable');
    expect(manager.status('good')?.state.state).toBe('connected');
  });
});

describe('a process that closes a pipe and lives on', () => {
  it.each(['close-output', 'close-input'])('%s: lost, ended, and connected anew', async (mode) => {
    using folder = new Folder();
    const clock = new ManualClock();
    const { manager } = start({ clock });
    const config = lab({ text: 'x', journal: folder.file('j'), ignoreInputEnd: true });
    manager.add('one', { ...config, args: [fixture('lab-rude.mjs'), mode] });
    await manager.whenSettled();
    expect(manager.status('one')?.state.state).toBe('connected');
    const lost = reach(manager, 'one', 'unavailable');
    process.kill(folder.journal('j')[0]?.start ?? 0, 'SIGUSR2');
    await expect.poll(() => folder.journal('j').some(({ method }) => method === 'closed')).toBe(true);
    // Nothing tells of an input that nobody reads any more but the next word into it.
    if (mode === 'close-input') await expect(manager.client('one')?.listTools()).rejects.toThrow('EPIPE');
    expect(await lost).toMatchObject({
      reason: { kind: 'connection-lost', message: 'the server closed its standard input or output' },
    });
    const back = reach(manager, 'one', 'connected');
    await expect.poll(() => clock.nextMs).toBeDefined();
    clock.advance(2_000);
    await back;
    expect(livingProcesses()).toHaveLength(1);
  });
});
