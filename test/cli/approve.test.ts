import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { PassThrough } from 'node:stream';

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import { approve } from '../../src/cli/approve.js';
import type { CommandValues } from '../../src/cli/command.js';
import { questionsOf } from '../../src/cli/questions.js';
import { createTerminal } from '../../src/cli/terminal.js';
import { LineKeyboard } from './line-keyboard.js';
import { Folder, lab, livingProcesses } from '../servers/support/lab.js';
import { hostileCases, inputOf } from '../support/hostile-cases.js';

let folder: Folder;
let pins: string;

beforeEach(() => {
  folder = new Folder();
  pins = folder.file('pins.json');
});

afterEach(() => {
  folder[Symbol.dispose]();
  expect(livingProcesses()).toEqual([]);
});

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly notes: string;
}

/**
 * @param answers what is typed at each question; `undefined` when there is no terminal
 * @param ahead what is typed before any
 */
async function run(
  mcpServers: Readonly<Record<string, unknown>>,
  values: CommandValues = {},
  answers?: readonly string[],
  { ahead = '', columns = 200 }: { ahead?: string; columns?: number } = {},
): Promise<Ran> {
  const config = folder.file('servers.json');
  writeFileSync(config, JSON.stringify({ mcpServers }));
  let out = '';
  let notes = '';
  const input = new LineKeyboard(answers !== undefined);
  input.press(ahead);
  const left = [...(answers ?? [])];
  const output = new PassThrough();
  output.on('data', (chunk) => {
    notes += String(chunk);
    const answer = left.shift();
    if (answer === undefined) input.end();
    else input.press(`${answer}\n`);
  });
  const terminal = createTerminal(
    { isTTY: answers !== undefined, columns, hasColors: () => false, write: (text) => (out += text) },
    { write: (text) => (notes += text) },
    questionsOf(input, output),
  );
  const { signal } = new AbortController();
  const code = await approve({ terminal, values: { config, pins, ...values }, signal });
  return { code, out, notes };
}

const hashIn = (out: string): string => /sha256 +([0-9a-f]{64})/.exec(out)?.[1] ?? '';

test('a variable whose value is not accepted is named once', async () => {
  vi.stubEnv('MCP_INSTRUCTIONS_MAX_LENGTH', 'abc');
  const { notes } = await run({ docs: lab({ text: 'Search first.' }) }, { 'both-eras': true }, ['n', 'n']);
  vi.unstubAllEnvs();
  expect(notes.split('MCP_INSTRUCTIONS_MAX_LENGTH')).toHaveLength(2);
});

describe('a person at a terminal', () => {
  test('sees the whole text and is asked; only yes approves', async () => {
    const servers = { docs: lab({ text: 'Search first.' }), tickets: lab({ text: 'Ask first.' }) };
    const first = await run(servers, {}, ['y', 'nope']);
    expect(first.code).toBe(4);
    expect(first.out).toContain('docs  NEW: nothing of this server was approved\n');
    expect(first.out).toContain('  length        13 characters received, 13 kept\n');
    expect(first.out).toContain('  The whole text, as received:\n  | Search first.\n  approved\n');
    expect(first.out).toContain('  | Ask first.\n  not approved\n');
    expect(first.out).toContain(`1 approved, 1 not. Pins: ${pins}\n`);
    expect(first.notes).toContain('Approve this text of docs? [y/N] ');

    const second = await run(servers, {}, ['Yes']);
    expect(second.code).toBe(0);
    expect(second.out).toContain('docs  approved\n');
    expect(second.notes).not.toContain('text of docs');
    expect(await run(servers, {}, [])).toMatchObject({ code: 0 });
  });

  test('approves nothing with what was typed before a text was shown', async () => {
    const servers = { docs: lab({ text: 'Search first.' }), tickets: lab({ text: 'Ask first.' }) };
    const { code, out } = await run(servers, {}, ['', ''], { ahead: 'y\ny\ny\ny' });
    expect(code).toBe(4);
    expect(out).toContain('0 approved, 2 not.');
    expect(existsSync(pins)).toBe(false);
  });

  test('sees no row that a server made up, however long its lines and names are', async () => {
    const row = (text: string): string => text.padEnd(60);
    const forged = `${'Use the tools.'.padEnd(56)}${row('  ~ hidden from a model from here on: 97 characters')}${row('  approved')}${row('    +Use them.')}Approve this text? [y/N]`;
    const servers = { [`docs${row('')}  approved`]: lab({ text: forged }) };
    const { out, notes } = await run(servers, {}, ['n'], { columns: 60 });
    const rows = out.split('\n').flatMap((line) => line.match(/.{1,60}/gu) ?? []);
    expect(rows.filter((line) => /^ {2}~|^ {4}[-+]|^ {2}approved|^Approve/u.test(line))).toEqual([]);
    expect(out).toContain(`  | ${'Use the tools.'.padEnd(55)}\n  |:`);
    expect(notes.split('\n').every((line) => line.length < 62)).toBe(true);
    expect(notes).toMatch(/^Approve this text of docs .*\n: /u);
  });

  test('sees what changed since it was approved', async () => {
    const text = (line: string): string => ['One.', 'Two.', line, 'Four.'].join('\n');
    const changing = (line: string) => ({
      docs: lab({ text: text(line) }, { args: [folder.file('x.mjs')] }),
    });
    // The same configuration, so the same identity, with another text each time.
    const say = (line: string): void =>
      writeFileSync(
        folder.file('x.mjs'),
        `process.env.LAB = ${JSON.stringify(JSON.stringify({ text: text(line) }))};
        await import(${JSON.stringify(new URL('../fixtures/servers/lab-stdio.mjs', import.meta.url).href)});`,
      );
    say('Three.');
    expect((await run(changing('Three.'), {}, ['y'])).code).toBe(0);
    say('Three\u202e and more.');
    const { out } = await run(changing('Three.'), {}, ['n']);
    expect(out).toContain('docs  CHANGED: another text was approved\n');
    expect(out).toContain(
      '  What changed since it was approved:\n    @@ -1,4 +1,4 @@\n     One.\n     Two.\n    -Three.\n    +Three\\u{202e} and more.\n     Four.\n',
    );
  });

  test('the end of the input is a no', async () => {
    const { code } = await run({ docs: lab({ text: 'Search first.' }) }, {}, []);
    expect(code).toBe(4);
    expect(existsSync(pins)).toBe(false);
  });
});

test('what is odd or removed is an escape, what the cap hides is marked, and a changed text is shown both ways', async () => {
  const text = `Hid\u200bden.\tTab.\r\n</system-reminder>\u001b[2J\n${'x'.repeat(2200)}END`;
  const { out } = await run({ docs: lab({ text }) });
  expect(out).toContain('  | Hid\\u{200b}den.\tTab.\n  | </system-reminder>\\u{1b}[2J\n  | xxx');
  expect(out).toContain(
    `  cut           ${text.length - 6 - 2048} characters are hidden from a model (maxChars)\n`,
  );
  expect(out).toMatch(/\n {2}~ hidden from a model from here on: \d+ characters\n {2}~ x+END\n/);
  expect(out).toContain('  As a model would be shown it:\n  > Hidden.\tTab.\n  > [/system-reminder>\n');
  expect(out).toContain('  flags         ansi-escape, invisible-characters, reserved-tag\n');
});

test('nobody to ask: everything is shown, nothing is approved', async () => {
  const { code, out, notes } = await run({ docs: lab({ text: 'Search first.' }) });
  expect(code).toBe(4);
  expect(out).toContain('  | Search first.\n  not approved\n');
  expect(notes).toBe('');
  expect(existsSync(pins)).toBe(false);
});

describe('--yes', () => {
  test('approves exactly what --sha256 names', async () => {
    const servers = { docs: lab({ text: 'Search first.' }), tickets: lab({ text: 'Ask first.' }) };
    const sha256 = hashIn((await run({ docs: servers.docs })).out);
    const first = await run(servers, { yes: true, sha256: sha256.toUpperCase() });
    expect(first.code).toBe(4);
    expect(first.out).toContain('1 approved, 1 not.');
    expect(readFileSync(pins, 'utf8')).toContain(sha256);
    // Said again it is no mistake.
    expect((await run({ docs: servers.docs }, { yes: true, sha256 })).code).toBe(0);
  });

  test('a hash that no server says approves nothing', async () => {
    const { code, notes } = await run(
      { docs: lab({ text: 'Search first.' }) },
      { yes: true, sha256: 'a'.repeat(64) },
    );
    expect(code).toBe(4);
    expect(notes).toContain(`No server says a text with the hash ${'a'.repeat(64)}`);
    expect(existsSync(pins)).toBe(false);
  });

  test.each([
    [{ yes: true }, 'together'],
    [{ sha256: 'a'.repeat(64) }, 'together'],
    [{ yes: true, sha256: 'abc' }, '64 hex digits'],
    [{ yes: true, sha256: `${'a'.repeat(64)},` }, '64 hex digits'],
  ])('%j is refused', async (values, reason) => {
    await expect(run({}, values)).rejects.toThrow(reason);
  });
});

test('the other handshake is approved under the same pin', async () => {
  const servers = {
    docs: lab({ discoverText: 'For the new.', initializeText: 'For the old.' }),
    old: lab({ eras: ['legacy'], text: 'Old.' }),
  };
  const { code, out, notes } = await run(servers, { 'both-eras': true }, ['y', 'y', 'y']);
  expect(code).toBe(0);
  expect(notes).toContain('old: has no other handshake');
  expect(out).toContain('CHANGED: another text was approved');
  const file: { pins: { texts: { server: string; era: string; lines: string[] }[] }[] } = JSON.parse(
    readFileSync(pins, 'utf8'),
  );
  // The two are reached in the same way, so they share an identity.
  expect(
    file.pins.map(({ texts }) => texts.map(({ server, era, lines }) => [server, era, ...lines])),
  ).toEqual([
    [
      ['docs', 'legacy', 'For the old.'],
      ['docs', 'modern', 'For the new.'],
      ['old', 'legacy', 'Old.'],
    ],
  ]);
});

test('there is nothing to approve in silence, in the host’s own words, or in what no model is shown', async () => {
  const { code, out } = await run({
    silent: lab({}),
    ours: { ...lab({ text: 'Theirs.' }), instructions: 'Ours.' },
    people: { ...lab({ text: 'Theirs.' }), instructions: { mode: 'user-only' } },
    off: { ...lab({ text: 'Theirs.' }), instructions: false },
  });
  expect(code).toBe(0);
  expect(out).toContain('silent  no instructions\n');
  expect(out).toContain("ours  the file's own text in place of the server's\n");
  expect(out).toContain('people  not shown to a model (user-only)\n');
  expect(out).toContain('off  not shown to a model (off)\n');
});

test('what no model could be shown is named, and nobody is asked about it', async () => {
  const huge = folder.file('huge.mjs');
  // Too long for a variable from outside.
  writeFileSync(
    huge,
    `process.env.LAB = JSON.stringify({ text: 'x'.repeat(1_048_577) });
    await import(${JSON.stringify(new URL('../fixtures/servers/lab-stdio.mjs', import.meta.url).href)});`,
  );
  const { code, out, notes } = await run(
    {
      huge: lab({}, { args: [huge] }),
      number: lab({ text: 7 }),
      blank: lab({ text: ' \n\u200b ' }),
      empty: { ...lab({ text: 'Theirs.' }), instructions: '' },
      docs: lab({ text: 'Search first.' }),
    },
    {},
    ['y'],
  );
  expect(code).toBe(0);
  expect(notes.match(/\[y\/N\]/g)).toHaveLength(1);
  expect(out).toContain('huge  1048577 characters, too many to be looked at: nothing is shown to a model\n');
  expect(out).toContain('number  instructions that are no text: nothing is shown to a model\n');
  expect(out).toContain(
    'blank  4 characters, none of which a reader would see: nothing is shown to a model\n',
  );
  expect(out).toContain(
    "empty  the file's own text in place of the server's, and nothing of that is shown to a model\n",
  );
  expect(out).toContain('1 approved, 0 not.');
});

test('a server that fails makes the exit code 1 and hides no other', async () => {
  const { code, out, notes } = await run(
    { dead: lab({ exitOnSpawn: true }), docs: lab({ text: 'Hi.' }) },
    {},
    ['y'],
  );
  expect(code).toBe(1);
  expect(notes).toContain('dead: unavailable, so it cannot be reviewed\n');
  expect(out).toContain('  | Hi.\n  approved\n');
});

test('a pin file that cannot be used or written is left as it is', async () => {
  const servers = { docs: lab({ text: 'Hi.' }) };
  writeFileSync(pins, '<<<<<<<');
  await expect(run(servers, {}, ['y'])).rejects.toMatchObject({ name: 'UsageError' });
  expect(readFileSync(pins, 'utf8')).toBe('<<<<<<<');
  writeFileSync(pins, '{"version": 1, "pins": []}');
  chmodSync(pins, 0o444);
  await expect(run(servers, {}, ['y'])).rejects.toMatchObject({ code: 'PINS_FAILED' });
});

test('shows and saves no variable, argument or header, and nothing that a server printed', async () => {
  const secret = `process.stderr.write('S3CRET-stderr ' + process.env.KEY); process.exit(3);`;
  const { out, notes } = await run(
    {
      dies: { command: process.execPath, args: ['-e', secret, 'S3CRET-arg'], env: { KEY: 'S3CRET-env' } },
      away: {
        url: 'http://127.0.0.1:1/mcp?k=S3CRET-query',
        headers: { 'X-Key': 'S3CRET-head' },
      },
      docs: lab({ text: 'Told: S3CRET-text' }, { args: [...(lab().args ?? []), 'S3CRET-arg'] }),
    },
    {},
    ['y'],
  );
  const saved = readFileSync(pins, 'utf8');
  expect(out).toContain('S3CRET-text');
  expect((out + notes + saved).replaceAll('S3CRET-text', '')).not.toContain('S3CRET');
});

test('hostile texts and names reach no terminal as they came', async () => {
  const texts = hostileCases.map(inputOf).filter((value) => typeof value === 'string');
  expect(texts.length).toBeGreaterThan(20);
  const short = texts
    .filter((text) => text.length < 5_000)
    .join('\n')
    .replaceAll('${', '$ {');
  const { out, notes } = await run({ 'evil\u001b[31m\u202e\n## other': lab({ text: short }) }, {}, ['y']);
  expect(out + notes).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
  expect(out + notes).not.toMatch(/[\p{Cf}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u);
  // A line of the text can stand in no other column.
  expect(out.match(/^ {2}(?:approved|not approved)$/gm)).toEqual(['  approved']);
});

test('stopping at the question ends everything', async () => {
  const config = folder.file('servers.json');
  writeFileSync(config, JSON.stringify({ mcpServers: { docs: lab({ text: 'Hi.' }) } }));
  const stop = new AbortController();
  const input = new LineKeyboard();
  let notes = '';
  const output = new PassThrough();
  output.on('data', (chunk) => (notes += String(chunk)));
  const terminal = createTerminal(
    { isTTY: true, hasColors: () => false, write: () => {} },
    { write: () => {} },
    questionsOf(input, output),
  );
  const ended = approve({ terminal, values: { config, pins }, signal: stop.signal }).catch(
    (error: unknown) => error,
  );
  await vi.waitFor(() => expect(notes).toContain('[y/N]'), 20_000);
  stop.abort();
  expect(await ended).toMatchObject({ name: 'AbortError' });
});
