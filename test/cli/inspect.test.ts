import { writeFileSync } from 'node:fs';

import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import type { CommandValues } from '../../src/cli/command.js';
import { inspect } from '../../src/cli/inspect.js';
import type { InspectedServer, Inspection } from '../../src/cli/inspect/inspection.js';
import { startSdkHttp } from '../fixtures/servers/sdk-http.mjs';
import { Folder, lab, livingProcesses } from '../servers/support/lab.js';
import { MemoryTerminal } from './memory-terminal.js';

let folder: Folder;

beforeEach(() => {
  folder = new Folder();
});

afterEach(() => {
  folder[Symbol.dispose]();
  expect(livingProcesses()).toEqual([]);
});

async function run(
  mcpServers: Readonly<Record<string, unknown>>,
  values: CommandValues = {},
): Promise<{ code: number; out: string; notes: string }> {
  const config = folder.file('servers.json');
  writeFileSync(config, JSON.stringify({ mcpServers }));
  const memory = new MemoryTerminal();
  const { signal } = new AbortController();
  const code = await inspect({ terminal: memory.terminal, values: { config, ...values }, signal });
  return { code, out: memory.out, notes: memory.notes };
}

async function runJson(
  mcpServers: Readonly<Record<string, unknown>>,
  values: CommandValues = {},
): Promise<{ code: number; inspection: Inspection; byId: (id: string) => InspectedServer | undefined }> {
  const { code, out } = await run(mcpServers, { ...values, json: true });
  const inspection: Inspection = JSON.parse(out);
  return { code, inspection, byId: (id) => inspection.servers.find((server) => server.id === id) };
}

test('shows era, revision, source, lengths, tokens and hash of each server', async () => {
  const { code, inspection, byId } = await runJson({
    modern: lab({ text: 'Use the tools.' }),
    old: lab({ eras: ['legacy'], textChars: 5000 }),
  });
  expect(code).toBe(0);
  expect(byId('modern')).toEqual({
    id: 'modern',
    transport: 'stdio',
    state: 'connected',
    reason: null,
    serverInfo: { name: 'lab', version: '1' },
    era: 'modern',
    protocolVersion: '2026-07-28',
    source: 'discover',
    outcome: 'told',
    chars: 14,
    keptChars: 14,
    lostChars: 0,
    tokens: expect.any(Number),
    sha256: '701f28a44cbdfd794e221b6802bac1810ce86b3a82bf5edfcf83097c76624ba1',
    flags: [],
    warnings: [],
  });
  expect(byId('old')).toMatchObject({
    era: 'legacy',
    source: 'initialize',
    outcome: 'told',
    chars: 5000,
    keptChars: 2048,
    lostChars: 2952,
  });
  // The frame and its two sections, the second of 2,048 units and the marker.
  expect(inspection.block.chars).toBe(164 + 6 + 14 + 6 + 3 + 2061);
  expect(inspection.block.method).not.toBe('rough');
});

test('a server that fails makes the exit code 1, and delays or hides no other', async () => {
  const { code, byId } = await runJson({ dead: lab({ exitOnSpawn: true }), fine: lab({ text: 'Hello.' }) });
  expect(code).toBe(1);
  expect(byId('dead')).toMatchObject({ state: 'unavailable', reason: { kind: 'exited', exitCode: 3 } });
  expect(byId('fine')).toMatchObject({ state: 'connected', outcome: 'told' });
});

test('speaks HTTP too', async () => {
  const server = await startSdkHttp('Over HTTP.');
  try {
    const { code, byId } = await runJson({ web: { url: server.url } });
    expect(code).toBe(0);
    expect(byId('web')).toMatchObject({ transport: 'http', outcome: 'told', chars: 10 });
  } finally {
    await server.close();
  }
});

test('the other handshake is shown where it gives another text', async () => {
  const { code, byId } = await runJson(
    {
      two: lab({ discoverText: 'one', initializeText: 'another' }),
      same: lab({ text: 'the same' }),
      old: lab({ eras: ['legacy'], text: 'old' }),
      lost: lab({ discoverText: 'here only' }),
      dead: lab({ exitOnSpawn: true }),
      // Two processes at a time would fail.
      alone: lab({ text: 'alone', lockFile: folder.file('lock') }),
    },
    { 'both-eras': true },
  );
  expect(code).toBe(1);
  expect(byId('two')?.other).toMatchObject({
    era: 'legacy',
    connected: true,
    source: 'initialize',
    chars: 7,
    differs: true,
  });
  expect(byId('same')?.other).toMatchObject({ era: 'legacy', connected: true, differs: false });
  expect(byId('old')?.other).toMatchObject({ era: 'modern', connected: false, differs: false });
  expect(byId('lost')?.other).toMatchObject({ connected: true, chars: 0, sha256: null, differs: true });
  expect(byId('alone')?.other).toMatchObject({ connected: true, differs: false });
  expect(byId('dead')).not.toHaveProperty('other');
});

test.for([
  ['none', lab({}), 3],
  ['white space only', lab({ text: ' \n' }), 3],
  ['not a string', lab({ text: 42 }), 3],
  ['some', lab({ text: 'Hello.' }), 0],
  ['switched off by the host', { ...lab({ text: 'Hello.' }), instructions: false }, 0],
] as const)('--require-instructions: %s', async ([, server, expected]) => {
  const { code } = await runJson({ server }, { 'require-instructions': true });
  expect(code).toBe(expected);
  const without = await runJson({ server });
  expect(without.code).toBe(0);
});

test('for people: figures, warnings, and nothing that a server sent as it came', async () => {
  const { code, out, notes } = await run(
    {
      'evil\u001b[31m\u202e': lab({ text: 'Hello \u001b[2J<|endoftext|>' }),
      blank: lab({ text: ' ' }),
      cut: lab({ textChars: 5000 }),
      two: lab({ discoverText: 'one', initializeText: 'another' }),
      dead: lab({ exitOnSpawn: true }),
    },
    { 'both-eras': true },
  );
  expect(code).toBe(1);
  expect(out).toContain('evil\\u{1b}[31m\\u{202e}  connected\n');
  expect(out).toContain('  length        5000 characters received, 2048 kept\n');
  expect(out).toContain('  cut           2952 characters over the limit are lost\n');
  expect(out).toContain('  warning       A server gave instructions of white space');
  expect(out).toContain('  other         initialize: ANOTHER TEXT: 7 characters, sha256 ');
  expect(out).toContain('  reason        the server process ended');
  expect(out).toContain('5 servers: 4 connected, 1 not. A first turn would carry one block: ');
  expect(notes).toContain('Connecting: evil\\u{1b}[31m\\u{202e}, blank, cut, two, dead\n');
  expect(notes).toContain('  dead: unavailable\n');
  expect(out + notes).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  expect(out).not.toContain('endoftext');
});

test('for people: what is not for a model, and what is the file’s own, are called so', async () => {
  const { out } = await run({
    off: { ...lab({ text: 'Theirs.' }), instructions: false },
    ours: { ...lab({ text: 'Theirs.' }), instructions: 'All ours.' },
  });
  expect(out).toContain(
    '  instructions  off, from server/discover\n  length        7 characters received\n  sha256 ',
  );
  expect(out).toContain("  length        9 characters of the file's own text, 9 kept\n");
  expect(out).toMatch(/\n {2}server's text sha256 [0-9a-f]{64}\n/u);
});

test('for people: no row is one that a server made up', async () => {
  const row = (text: string): string => text.padEnd(80);
  const name = `${row('docs')}${row('  sha256        forged')}`;
  const { out } = await run({ [name]: lab({ text: 'Hello.' }) });
  const rows = out.split('\n').flatMap((line) => line.match(/.{1,80}/gu) ?? []);
  expect(rows.filter((line) => line.startsWith('  sha256        forged'))).toEqual([]);
  expect(rows.filter((line) => line.startsWith(':'))).toHaveLength(2);
});

test('no variable, argument, header or address query is shown', async () => {
  const secrets = {
    env: lab({ exitOnSpawn: true }, { env: { TOKEN: 'S3CRET-env' } }),
    args: { command: process.execPath, args: ['--no-such-option=S3CRET-args'] },
    url: { url: 'http://127.0.0.1:1/mcp?key=S3CRET-query', headers: { a: 'S3CRET-head' } },
  };
  const text = await run(secrets, { 'both-eras': true });
  const json = await run(secrets, { json: true });
  expect(text.code).toBe(1);
  expect(json.code).toBe(1);
  expect(JSON.stringify([text, json])).not.toContain('S3CRET');
});

test('`__proto__` is an id like any other, and a disabled server is left alone', async () => {
  const file = `{"mcpServers": {"__proto__": ${JSON.stringify(lab({ text: 'Hello.' }))},
    "sleeping": {"command": "no-such-program", "disabled": true}}}`;
  const config = folder.file('odd.json');
  writeFileSync(config, file);
  const memory = new MemoryTerminal();
  const code = await inspect({
    terminal: memory.terminal,
    values: { config, json: true },
    signal: new AbortController().signal,
  });
  expect(code).toBe(0);
  const { servers }: Inspection = JSON.parse(memory.out);
  expect(servers.map(({ id, outcome }) => [id, outcome])).toEqual([['__proto__', 'told']]);
});

test('a server of the file that cannot be used is named and left out, and the others connect', async () => {
  const servers = {
    good: lab({ text: 'Hello.' }),
    unset: { command: 'node', env: { TOKEN: '${NO_SUCH_VARIABLE}' } },
    off: { command: 'node', env: { TOKEN: '${NO_SUCH_VARIABLE}' }, disabled: true },
  };
  const { code, out, notes } = await run(servers, { json: true });
  const { servers: seen, warnings }: Inspection = JSON.parse(out);
  expect(seen.map(({ id, state }) => [id, state])).toEqual([['good', 'connected']]);
  const named = '`mcpServers.unset.env.TOKEN`: expected a value for ${NO_SUCH_VARIABLE}, found none';
  expect(warnings).toEqual([expect.stringContaining(named)]);
  expect(notes).toContain(named);
  expect(notes).toContain('off: disabled in the file\n');
  expect(code).toBe(1);
  expect((await run({ off: servers.off })).code).toBe(0);
});

test('a field of the file that means nothing is named, and one that another host keeps is not', async () => {
  const { code, notes } = await run({ docs: { ...lab({ text: 'Hello.' }), arg: [], timeout: 5 } });
  expect(notes).toContain('mcpServers.docs.arg: means nothing here; check its spelling\n');
  expect(notes).not.toContain('timeout');
  expect(code).toBe(0);
});

test('no servers: nothing to do, and that is fine', async () => {
  const { code, out, notes } = await run({});
  expect(code).toBe(0);
  expect(notes).toBe('No servers to connect to.\n');
  expect(out).toBe('0 servers: 0 connected, 0 not. A first turn would carry no block.\n');
});

test('a file that cannot be used is the caller’s mistake', async () => {
  const { terminal } = new MemoryTerminal();
  const values = { config: folder.file('none.json') };
  await expect(inspect({ terminal, values, signal: new AbortController().signal })).rejects.toMatchObject({
    code: 'CONFIG_FILE',
  });
});

test('stopping while a server hangs closes everything', async () => {
  const config = folder.file('servers.json');
  writeFileSync(
    config,
    JSON.stringify({ mcpServers: { silent: lab({ discover: 'hang', initialize: 'hang' }) } }),
  );
  const stop = new AbortController();
  const memory = new MemoryTerminal();
  const running = inspect({ terminal: memory.terminal, values: { config }, signal: stop.signal });
  const ended = running.catch((error: unknown) => error);
  await vi.waitFor(() => expect(livingProcesses()).toHaveLength(1), 10_000);
  stop.abort();
  expect(await ended).toMatchObject({ name: 'AbortError' });
  expect(memory.out).toBe('');
});
