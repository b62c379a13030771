import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

import { afterAll, beforeAll, expect, test, vi } from 'vitest';

import { Folder, lab, livingProcesses } from '../servers/support/lab.js';
import { InstalledCopy } from './installed-copy.js';

let copy: InstalledCopy;

beforeAll(() => {
  copy = new InstalledCopy(['@anthropic-ai/sdk']);
});

afterAll(() => copy[Symbol.dispose]());

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly errors: string;
}

function start(main: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): ChildProcess {
  return spawn(process.execPath, [main, ...args], {
    cwd: copy.path,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

async function ended(child: ChildProcess): Promise<Ended> {
  const [out, errors, [code]] = await Promise.all([
    text(child.stdout!),
    text(child.stderr!),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  return { code, out, errors };
}

const run = (...args: readonly string[]): Promise<Ended> => ended(start(copy.main, args));

test('the demo ends by itself, says the same every time, and leaves no process', async () => {
  const first = await run('demo');
  expect(first.errors).toBe('');
  expect(first.code).toBe(0);
  expect(first.out.match(/^Request \d/gm)).toEqual(['Request 1', 'Request 2', 'Request 3', 'Request 4']);
  expect(first.out).toContain('Every request repeats the messages before it byte for byte: yes\n');
  expect(first.out).toContain("The host's own messages hold no block: yes\n");
  expect(first.out).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
  const variables = { MCP_INSTRUCTIONS_MAX_LENGTH: '10', MCP_INSTRUCTIONS_DISABLED: '1', FORCE_COLOR: '1' };
  const second = await ended(start(copy.main, ['demo'], variables));
  expect(second).toEqual(first);
  expect(copy.processes()).toEqual([]);
});

test('stopping the demo leaves no process', async () => {
  const child = start(copy.main, ['demo']);
  const end = ended(child);
  // The program itself and one server at least.
  await vi.waitFor(() => expect(copy.processes().length).toBeGreaterThan(1), 10_000);
  child.kill('SIGINT');
  expect((await end).code).toBe(130);
  expect(copy.processes()).toEqual([]);
});

test('without the Anthropic SDK the demo says what is missing, and the rest works', async () => {
  using bare = new InstalledCopy();
  const demo = await ended(start(bare.main, ['demo']));
  expect(demo).toMatchObject({ code: 2, out: '' });
  expect(demo.errors).toContain('the demo needs the Anthropic SDK, 0.101 or later: npm install');
  const version = await ended(start(bare.main, ['--version']));
  expect(version).toEqual({ code: 0, out: '0.1.0\n', errors: '' });
});

test('beside an Anthropic SDK without middleware the demo ends in the same way', async () => {
  using bare = new InstalledCopy();
  const absent = await ended(start(bare.main, ['demo']));
  const sdk = join(bare.path, 'node_modules/@anthropic-ai/sdk');
  writeFileSync(join(sdk, 'package.json'), '{ "type": "module", "exports": "./index.js" }');
  writeFileSync(join(sdk, 'index.js'), 'export default class Anthropic { withOptions() { return this; } }');
  expect(await ended(start(bare.main, ['demo']))).toEqual(absent);
});

test('exit codes, and JSON alone on standard output', async () => {
  using folder = new Folder();
  const fine = folder.file('fine.json');
  const mixed = folder.file('mixed.json');
  writeFileSync(fine, JSON.stringify({ mcpServers: { fine: lab({ text: 'Hello.' }), none: lab({}) } }));
  writeFileSync(mixed, JSON.stringify({ mcpServers: { dead: lab({ exitOnSpawn: true }) } }));
  const inspected = await run('inspect', '--config', fine, '--json');
  expect(inspected.code).toBe(0);
  expect(JSON.parse(inspected.out)).toHaveProperty('servers.length', 2);
  expect(inspected.errors).toContain('Connecting: fine, none\n');
  expect((await run('inspect', '--config', fine, '--require-instructions')).code).toBe(3);
  expect((await run('inspect', '--config', mixed)).code).toBe(1);
  expect(await run('inspect', '--config', join(copy.path, 'none.json'))).toEqual({
    code: 2,
    out: '',
    errors: `mcp-instructions: ${join(copy.path, 'none.json')}: cannot be read: ENOENT\n`,
  });
  expect(await run('inspect', '--nonsense')).toMatchObject({ code: 2, out: '' });
  expect(livingProcesses()).toEqual([]);
});

test.each([
  ['SIGHUP', 129],
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)(
  '%s while a server hangs: everything is closed, and the exit code says so',
  async (signal, code) => {
    using folder = new Folder();
    const config = folder.file('hangs.json');
    writeFileSync(
      config,
      JSON.stringify({ mcpServers: { silent: lab({ discover: 'hang', initialize: 'hang' }) } }),
    );
    const child = start(copy.main, ['inspect', '--config', config]);
    const end = ended(child);
    await vi.waitFor(() => expect(livingProcesses()).toHaveLength(1), 10_000);
    child.kill(signal);
    expect(await end).toMatchObject({ code, out: '' });
    expect(livingProcesses()).toEqual([]);
  },
);

test('a second signal does not wait for a server to end by itself, and leaves none', async () => {
  using folder = new Folder();
  const config = folder.file('deaf.json');
  const journal = folder.file('journal');
  const deaf = { discover: 'hang', initialize: 'hang', ignoreInputEnd: true, ignoreSigterm: true } as const;
  writeFileSync(config, JSON.stringify({ mcpServers: { deaf: lab({ ...deaf, journal }) } }));
  const child = start(copy.main, ['inspect', '--config', config]);
  const end = ended(child);
  await vi.waitFor(() => expect(folder.journal('journal').length).toBeGreaterThan(1), 20_000);
  child.kill('SIGINT');
  child.kill('SIGTERM');
  const { code, out } = await end;
  expect(out).toBe('');
  // The system may hand them over in either order.
  expect([130, 143]).toContain(code);
  await vi.waitFor(() => expect(livingProcesses()).toEqual([]), 10_000);
  // It was killed at once; one that is waited for is asked first.
  expect(folder.journal('journal').filter((entry) => entry.signal !== undefined)).toEqual([]);
});

test('a reader that goes away ends it without a stack trace', async () => {
  using folder = new Folder();
  const config = folder.file('fine.json');
  writeFileSync(config, JSON.stringify({ mcpServers: { fine: lab({ text: 'Hello.' }) } }));
  const child = start(copy.main, ['inspect', '--config', config]);
  child.stdout!.destroy();
  const [errors] = await Promise.all([text(child.stderr!), once(child, 'close')]);
  expect(errors).toBe('Connecting: fine\n  fine: connected\n');
  expect(livingProcesses()).toEqual([]);
});
