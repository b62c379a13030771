import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

import { afterEach, describe, expect, it, vi } from 'vitest';

import type { ConnectionManager } from '../../src/servers/connection-manager.js';
import { ProcessHunt } from '../../src/servers/process-hunt.js';
import { isKernelThread, markerName } from '../../src/servers/process-row.js';
import { readProcesses } from '../../src/servers/process-table.js';
import { ProcessTree } from '../../src/servers/process-tree.js';
import { fixture, Folder, lab, livingProcesses, manage } from './support/lab.js';

const managers: ConnectionManager[] = [];
let tags = 0;

/** The processes with a word on their command line. Zombies have none. */
function tagged(tag: string): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/u.test(name) && Number(name) !== process.pid)
    .filter((name) => {
      try {
        return readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0').includes(tag);
      } catch {
        return false;
      }
    })
    .map(Number);
}

function newTag(): string {
  tags += 1;
  return `tag-${process.pid}-${tags}`;
}

afterEach(async () => {
  for (const manager of managers.splice(0)) await manager.close();
  expect(livingProcesses()).toEqual([]);
});

describe('processes whose environment was emptied', () => {
  const node = `'${process.execPath}'`;
  const server = `'${fixture('lab-stdio.mjs')}'`;
  const deaf = `env -i LAB='{"ignoreInputEnd":true,"ignoreSigterm":true,"text":"x"}' ${node} ${server}`;
  it.each([
    ['the server itself, behind a shell', (tag: string) => `exec 3<&0; ${deaf} ${tag} <&3 & wait`],
    ['a helper beside the server', (tag: string) => `${deaf} ${tag} 9<&0 >&2 & exec ${node} ${server}`],
    [
      'a helper in a session of its own',
      (tag: string) => `setsid ${deaf} ${tag} </dev/null >&2 & exec 3<&0; ${node} ${server} <&3`,
    ],
    ['a helper whose root is dead', (tag: string) => `${deaf} ${tag} </dev/null >&2 & sleep 0.3; exit 3`],
  ])('%s: nothing is left', async (_name, command) => {
    const tag = newTag();
    const { manager, observer } = manage({ connectTimeoutMs: 5_000 });
    managers.push(manager);
    manager.add('one', lab({ text: 'x' }, { command: 'sh', args: ['-c', command(tag)] }));
    await manager.whenSettled();
    await manager.close();
    expect(tagged(tag)).toEqual([]);
    expect(observer.named('process-left')).toEqual([]);
  });
});

describe('a process that cannot be ended', () => {
  it('is told, and closing ends all the same', async () => {
    const { manager, observer } = manage();
    managers.push(manager);
    manager.add('one', lab({ text: 'x', ignoreInputEnd: true }));
    await manager.whenSettled();
    const [pid = 0] = livingProcesses();
    // What the system says of a process that went over to another user.
    const kill = vi.spyOn(process, 'kill').mockImplementation((_pid, signal) => {
      if (signal === 0) return true;
      throw Object.assign(new Error('kill EPERM'), { code: 'EPERM' });
    });
    await manager.close();
    const [first, ...others] = kill.mock.calls.map(([, signal]) => signal);
    expect(first).toBe('SIGTERM');
    expect(new Set(others)).toEqual(new Set(['SIGKILL']));
    expect(others.length).toBeGreaterThan(1);
    kill.mockRestore();
    expect(livingProcesses()).toEqual([pid]);
    expect(observer.named('process-left')).toMatchObject([
      { level: 'warn', fields: { server: 'one', processes: 1 } },
    ]);
    expect(observer.problems).toEqual([]);
    process.kill(pid, 'SIGKILL');
    await expect.poll(() => livingProcesses()).toEqual([]);
  });
});

describe('a tree that keeps moving', () => {
  it.each([
    ['', '0.01'],
    ["trap '' TERM", '0.005'],
    ["trap '' TERM", '0'],
  ])('%s, every %s s: nothing is left', async (trap, pause) => {
    using folder = new Folder();
    const script = folder.file('mover');
    const stop = folder.file('stop');
    const again = `setsid sh ${script} </dev/null >/dev/null 2>&1 &`;
    const lines = [`[ -e ${stop} ] && exit`, trap, pause === '0' ? '' : `sleep ${pause}`, again, 'exit 0'];
    writeFileSync(script, `${lines.join('\n')}\n`);
    const { manager, observer } = manage();
    managers.push(manager);
    const command = `${again} exec '${process.execPath}' '${fixture('lab-stdio.mjs')}'`;
    manager.add('one', lab({ text: 'x' }, { command: 'sh', args: ['-c', command] }));
    await manager.whenSettled();
    expect(manager.status('one')?.state.state).toBe('connected');
    await manager.close();
    // One that moves on is not in every list, so one look would prove nothing.
    const seen = new Set<number>();
    for (let look = 0; look < 20; look += 1) {
      for (const pid of livingProcesses()) seen.add(pid);
      await new Promise<void>((resolve) => {
        setTimeout(resolve, 5);
      });
    }
    writeFileSync(stop, '');
    expect([...seen]).toEqual([]);
    expect(observer.named('process-left')).toEqual([]);
  });
});

describe('hosts inside of hosts', () => {
  it('the end of the outer one ends what the inner one started', async () => {
    const tag = newTag();
    const { manager } = manage();
    managers.push(manager);
    manager.add('one', lab({ text: 'x', ignoreInputEnd: true }, { args: [fixture('nested-host.mjs'), tag] }));
    await manager.whenSettled();
    expect(manager.status('one')?.state.state).toBe('connected');
    expect(tagged(tag)).toHaveLength(2);
    await manager.close();
    expect(tagged(tag)).toEqual([]);
  });

  it('hands on the markers that it inherited, and nothing else', () => {
    const outer = 'a'.repeat(32);
    const tree = new ProcessTree();
    process.env[markerName] = outer;
    expect(tree.markers).toBe(`${outer} ${tree.marker}`);
    process.env[markerName] = 'rubbish';
    expect(tree.markers).toBe(tree.marker);
    delete process.env[markerName];
    expect(tree.markers).toBe(tree.marker);
  });
});

describe('the list of processes', () => {
  it('is read once for all who ask at the same time, and again for those who ask later', async () => {
    const first = readProcesses();
    const second = readProcesses();
    expect(second).not.toBe(first);
    expect(readProcesses()).toBe(second);
    await first;
    const child = spawn('sleep', ['30'], { env: { [markerName]: 'mine' }, stdio: 'ignore' });
    await once(child, 'spawn');
    const find = (rows: Awaited<ReturnType<typeof readProcesses>>): unknown =>
      rows?.find(({ pid }) => pid === child.pid);
    const row = find(await readProcesses());
    expect(row).toMatchObject({ parent: process.pid, marker: 'mine' });
    const hunt = new ProcessHunt();
    hunt.catchUp();
    expect(find(hunt.rows)).toEqual(row);
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
    expect(find(await readProcesses())).toBeUndefined();
  });

  it('a hunt finds what was started while it looked', async () => {
    const children: ChildProcess[] = [];
    const begin = (): void => {
      if (children.length < 5) children.push(spawn('sleep', ['30'], { stdio: 'ignore' }));
    };
    const hunt = new ProcessHunt((await readProcesses()) ?? []);
    begin();
    hunt.catchUp(begin, 60_000);
    const found = new Set(hunt.rows.map(({ pid }) => pid));
    for (const child of children) expect(found.has(child.pid ?? 0)).toBe(true);
    expect(children).toHaveLength(5);
    for (const child of children) child.kill('SIGKILL');
  });

  it('a process without an environment is looked at again, as it may just become another program', () => {
    const hunt = new ProcessHunt();
    const stat = (flags: number): string => `7 (a) b) S 1 2 3 0 -1 ${flags}${' 0'.repeat(20)}`;
    expect(hunt.note('7', { stat: stat(0), environment: '' })).toBe(true);
    expect(hunt.note('7', { stat: stat(0), environment: '' })).toBe(false);
    expect(hunt.note('7', { stat: stat(0), environment: `A=b\0${markerName}=mine\0` })).toBe(true);
    expect(hunt.rows).toMatchObject([{ pid: 7, parent: 1, group: 2, session: 3, marker: 'mine' }]);
    expect(hunt.note('7', undefined)).toBe(false);
    expect(hunt.rows).toEqual([]);
    expect(isKernelThread({ stat: stat(0x20_80_40), environment: '' })).toBe(true);
    expect(isKernelThread({ stat: stat(0x40_80_40), environment: '' })).toBe(false);
  });

  it('a group whose id went to somebody else is left alone', async () => {
    const stranger = spawn('sleep', ['30'], { detached: true, stdio: 'ignore' });
    const child = spawn('true', [], { detached: true, stdio: 'ignore' });
    const tree = new ProcessTree();
    tree.adopt(child);
    await once(child, 'exit');
    await readProcesses();
    await readProcesses();
    // The kernel gave the id of the ended root to another process.
    Object.defineProperty(child, 'pid', { value: stranger.pid });
    expect(await tree.end({ inputMs: 1, terminateMs: 1, killMs: 1 })).toBe(0);
    expect(stranger.exitCode).toBeNull();
    expect(stranger.signalCode).toBeNull();
    const exited = once(stranger, 'exit');
    stranger.kill('SIGKILL');
    await exited;
  });
});
