import { writeFileSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { InstructionsError } from '../../src/errors.js';
import { readConfigFile, type ConfigFile } from '../../src/servers/config-file.js';
import { expandVariables } from '../../src/servers/expand-variables.js';
import { JsonSyntaxError, parseJsonWithComments } from '../../src/servers/json-with-comments.js';
import { readConfigFile as readFromRoot } from '../../src/index.js';
import { startAdapterHost } from '../adapters/support/adapter-host.js';
import { Folder, lab } from './support/lab.js';

function write(folder: Folder, name: string, text: string): string {
  const path = folder.file(name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

describe('the files of four hosts', () => {
  it('Claude Code: .mcp.json with variables', async () => {
    using folder = new Folder();
    const path = write(
      folder,
      '.mcp.json',
      `{ "mcpServers": {
        "docs": { "type": "stdio", "command": "\${BIN}/docs", "args": ["--port", "\${PORT:-8080}"], "env": { "TOKEN": "\${TOKEN}" } },
        "api": { "type": "http", "url": "\${BASE:-https://example.com}/mcp", "headers": { "Authorization": "Bearer \${TOKEN}" } }
      } }`,
    );
    const environment = { BIN: '/opt', TOKEN: 't0', PORT: '' };
    const { servers } = await readConfigFile(path, { environment });
    expect([...servers]).toEqual([
      ['docs', { type: 'stdio', command: '/opt/docs', args: ['--port', '8080'], env: { TOKEN: 't0' } }],
      ['api', { type: 'http', url: 'https://example.com/mcp', headers: { Authorization: 'Bearer t0' } }],
    ]);
  });

  it('Claude Desktop: command, args and env, and keys of other things', async () => {
    using folder = new Folder();
    const text =
      '\uFEFF{ "globalShortcut": "x", "mcpServers": { "files": { "command": "npx", "args": ["-y", "server", "/tmp"] } } }';
    const { servers } = await readConfigFile(write(folder, 'claude_desktop_config.json', text));
    expect([...servers.keys()]).toEqual(['files']);
  });

  it('Cursor: env: names, the home and the workspace, an envFile', async () => {
    using folder = new Folder();
    write(folder, '.cursor/local.env', '# comment\nFROM_FILE=one\nBOTH="file"\n');
    const path = write(
      folder,
      '.cursor/mcp.json',
      `{ "mcpServers": { "local": { "type": "stdio", "command": "node", "args": ["\${workspaceFolder}/server.js"],
         "envFile": "local.env", "env": { "KEY": "\${env:KEY}", "BOTH": "entry" } } } }`,
    );
    const { servers } = await readConfigFile(path, { environment: { KEY: 'k' } });
    expect(servers.get('local')).toMatchObject({
      args: [`${folder.path}/server.js`],
      env: { FROM_FILE: 'one', KEY: 'k', BOTH: 'entry' },
    });
  });

  it('VS Code: servers, inputs, comments and trailing commas', async () => {
    using folder = new Folder();
    const path = write(
      folder,
      '.vscode/mcp.json',
      `{
        // what to ask for
        "inputs": [{ "id": "token", "type": "promptString", "password": true, },],
        "servers": {
          "remote": { "type": "http", "url": "https://example.com/mcp // no comment", "headers": { "X": "\${input:token}" } },
          /* an older one */ "events": { "type": "sse", "url": "https://example.com/sse" },
          "off": { "command": "x", "disabled": true },
        },
      }`,
    );
    const variables = (name: string): string | undefined => (name === 'input:token' ? 'secret' : undefined);
    const { servers } = await readConfigFile(path, { variables });
    expect(servers.get('remote')).toMatchObject({
      headers: { X: 'secret' },
      url: 'https://example.com/mcp // no comment',
    });
    expect([...servers.keys()]).toEqual(['remote', 'events']);
  });

  it('ids that are names of objects are ids', async () => {
    using folder = new Folder();
    const path = write(
      folder,
      'a.json',
      '{"mcpServers":{"__proto__":{"command":"a"},"constructor":{"command":"b"}}}',
    );
    const { servers } = await readConfigFile(path);
    expect([...servers]).toEqual([
      ['__proto__', { command: 'a' }],
      ['constructor', { command: 'b' }],
    ]);
  });
});

const messagesOf = ({ problems }: Pick<ConfigFile, 'problems'>): string[] =>
  problems.map((problem) => {
    expect(problem.code).toBe('CONFIG_FILE');
    return problem.message;
  });
const secret = 'hunter2';

describe('a server that cannot be used is left out alone, and named', () => {
  it.each([
    ['"hunter2"', '`servers.a`: expected an object, got a string'],
    ['null', '`servers.a`: expected an object, got null'],
    ['{ }', '`servers.a`: expected `command` or `url`, got neither'],
    ['{ "command": "x", "url": "http://hunter2" }', '`servers.a`: expected `command` or `url`, got both'],
    [
      '{ "command": "x", "args": "hunter2" }',
      '`servers.a`: `args`: expected an array of strings, got a string',
    ],
    ['{ "command": "x", "env": { "KEY": 5 } }', '`servers.a`: `env.KEY`: expected a string without NUL, got'],
    ['{ "url": "hunter2" }', '`servers.a`: `url`: expected an absolute address, got a string'],
    ['{ "url": "file:///hunter2" }', '`servers.a`: `url`: expected an `http:` or `https:` address'],
    [
      '{ "command": "x", "disabled": "hunter2" }',
      '`servers.a.disabled`: expected true or false, got a string',
    ],
    [
      '{ "command": "x", "env": { "K": "${NOT_SET}" } }',
      '`servers.a.env.K`: expected a value for ${NOT_SET}, found none',
    ],
    [
      '{ "command": "x", "args": ["a", "${input:token}"] }',
      '`servers.a.args[1]`: expected a value for ${input:token}, found none',
    ],
    ['{ "url": "http://example.com/${A:-${B}}" }', '`servers.a.url`: expected a value for ${B}, found none'],
    ['{ "command": "x", "cwd": "${A:-hunter2" }', '`servers.a.cwd`: expected a `}` after ${A:-, found none'],
    ['{ "command": "x", "envFile": "none.env" }', 'none.env: cannot be read: ENOENT (`servers.a.envFile` of'],
    ['{ "command": "x", "envFile": 5 }', '`servers.a.envFile`: expected a path, got a number'],
    ['{ "command": "x", "envFile": "latin.env" }', 'latin.env: expected UTF-8, got bytes that are not'],
    [
      '{ "command": "x", "envFile": "good.env", "env": ["hunter2"] }',
      '`servers.a`: `env`: expected an object',
    ],
    ['{ "command": "x", "envFile": "good.env", "env": null }', '`servers.a`: `env`: expected an object'],
    [
      '{ "command": "x",\n "command": "hunter2" }',
      '`servers.a.command`: expected once, found again in line 2',
    ],
    [
      '{ "command": "x", "env": { "K": "hunter2",\n\n "K": "" } }',
      '`servers.a.env.K`: expected once, found again in line 3',
    ],
    [
      '{ "command": "x" },\n "a": { "command": "hunter2" }',
      '`servers.a`: expected once, found again in line 2',
    ],
    [
      '{ "command": "x", "disabled": true },\n "a": { "command": "x" }',
      '`servers.a`: expected once, found again in line 2',
    ],
  ])('%s', async (entry, message) => {
    using folder = new Folder();
    write(folder, 'good.env', 'A=b');
    writeFileSync(folder.file('latin.env'), Buffer.from('A=\xe9', 'latin1'));
    const text = `{ "servers": { "before": { "command": "x" }, "a": ${entry}, "after": { "command": "x" } } }`;
    const file = await readConfigFile(write(folder, 'one.json', text), { environment: {} });
    expect([...file.servers.keys()]).toEqual(['before', 'after']);
    const messages = messagesOf(file);
    expect(messages).toHaveLength(1);
    expect(messages[0]).toContain(message);
    expect(messages[0]).toContain(folder.path);
    expect(messages[0]).not.toContain(secret);
  });

  it('each of several', async () => {
    using folder = new Folder();
    const text = '{ "servers": { "a": 1, "b": { "command": "x" }, "c": { "command": "${C}" } } }';
    const file = await readConfigFile(write(folder, 'three.json', text), { environment: {} });
    expect([...file.servers.keys()]).toEqual(['b']);
    expect(messagesOf(file)).toEqual([
      expect.stringContaining('`servers.a`'),
      expect.stringContaining('`servers.c.command`'),
    ]);
  });

  it('but one that is disabled is no problem, whatever it needs', async () => {
    using folder = new Folder();
    const text = `{ "mcpServers": {
      "off": { "command": "x", "env": { "TOKEN": "\${TOKEN}", "TOKEN": "" }, "envFile": "none", "disabled": true },
      "shape": { "disabled": true },
      "on": { "command": "x", "disabled": false }
    } }`;
    const file = await readConfigFile(write(folder, 'off.json', text), { environment: {} });
    expect(messagesOf(file)).toEqual([]);
    expect(file.disabled).toEqual(['off', 'shape']);
    expect([...file.servers.keys()]).toEqual(['on']);
  });
});

describe('fields that mean nothing', () => {
  it('are named and taken out; those of other hosts are neither', async () => {
    using folder = new Folder();
    const path = write(
      folder,
      'mcp.json',
      `{ "mcpServers": {
        "docs": { "command": "x", "arg": ["hunter2"], "timeout": 5, "alwaysAllow": [], "instructions": { "mode": "off", "maxLength": 5 } },
        "right": { "url": "http://example.com/", "type": "http", "trust": true, "instructions": "Ask first." }
      } }`,
    );
    const { servers, unknown, problems } = await readConfigFile(path);
    expect(unknown).toEqual(['mcpServers.docs.arg', 'mcpServers.docs.instructions.maxLength']);
    expect(problems).toEqual([]);
    expect(servers.get('docs')).toEqual({
      command: 'x',
      timeout: 5,
      alwaysAllow: [],
      instructions: { mode: 'off' },
    });
    expect(servers.get('right')).toMatchObject({ url: 'http://example.com/', instructions: 'Ask first.' });
    const { injector, log } = startAdapterHost();
    injector.connections.set(
      new Map([...servers].map(([id, config]) => [id, { ...config, disabled: false }])),
    );
    expect(log.map(({ event }) => event)).not.toContain('option-unknown');
  });
});

describe('as hosts call it', () => {
  it('gives what the injector takes', async () => {
    using folder = new Folder();
    const { command, args = [] } = lab({ text: 'Hello.' });
    const path = write(folder, 'mcp.json', JSON.stringify({ mcpServers: { docs: { command, args } } }));
    const { servers } = await readFromRoot(path, { environment: {} });
    const { injector } = startAdapterHost({ servers });
    await injector.ready();
    expect(injector.connections.status('docs')?.state.state).toBe('connected');
  });

  it.each([
    [[], 'readConfigFile: path: expected a path, got undefined'],
    [[''], 'readConfigFile: path: expected a path, got an empty string'],
    [[{ path: 'x' }], 'readConfigFile: path: expected a path, got an object'],
    [['x', 'y'], 'readConfigFile: options: expected an object, got a string'],
    [['x', { variables: {} }], 'readConfigFile: variables: expected a function, got an object'],
    [['x', { environment: 'x' }], 'readConfigFile: environment: expected an object, got a string'],
  ])('refuses wrong arguments: %j', async (given, message) => {
    await expect(Reflect.apply(readFromRoot, undefined, given)).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      message,
    });
  });

  it('no options, or none of them, are fine', async () => {
    using folder = new Folder();
    const path = write(folder, 'mcp.json', '{ "mcpServers": { "docs": { "command": "${PATH:-x}" } } }');
    for (const options of [undefined, null, {}, { environment: undefined, variables: undefined }]) {
      const { servers } = await readFromRoot(path, options as never);
      expect([...servers.keys()]).toEqual(['docs']);
    }
  });
});

describe('where the servers stand', () => {
  it.each([
    ['{ "mcpServers": {}, "servers": { "a": { "command": "x" } } }', ['a'], []],
    ['{ "mcp": { "servers": { "a": { "command": "x" } } }, "servers": {} }', ['a'], []],
    ['{ "mcpServers": {} }', [], []],
    [
      '{ "servers": { "a": { "command": "x" } }, "mcpServers": { "b": { "command": "x" } } }',
      ['b'],
      ['`servers`: expected servers in one place, found `mcpServers` too'],
    ],
    ['{ "servers": 5, "mcpServers": { "b": { "command": "x" } } }', ['b'], []],
    ['{ "editor": { "a": 1, "a": 2 }, "mcpServers": { "b": { "command": "x" } } }', ['b'], []],
  ])('%s', async (text, ids, problems) => {
    using folder = new Folder();
    const file = await readConfigFile(write(folder, 'places.json', text));
    expect([...file.servers.keys()]).toEqual(ids);
    expect(messagesOf(file)).toEqual(problems.map((problem) => `${file.path}: ${problem}`));
  });
});

describe('a wrong file is named, with the key and what was expected', () => {
  it.each([
    ['{ "mcpServers": {\n "a": { "command": "hunter2", } } ', 'line 2: expected JSON'],
    ['{ "mcpServers": {\n "a": { "command": "hunter2\n" } } }', 'line 2: expected JSON'],
    ['{\n /* hunter2', 'line 2: expected JSON'],
    ['', 'line 1: expected JSON'],
    ['{ "other": {} }', 'expected `mcpServers` or `servers`, found neither'],
    ['{ "mcpServers": ["hunter2"] }', '`mcpServers`: expected an object, got an array'],
    [
      '{ "mcpServers": null, "servers": { "a": { "command": "x" } } }',
      '`mcpServers`: expected an object, got null',
    ],
    ['["hunter2"]', 'the file: expected an object, got an array'],
    ['{ "mcpServers": {},\n "mcpServers": {} }', '`mcpServers`: expected once, found again in line 2'],
    [
      '{ "mcp": { "servers": {},\n "servers": { "a": {} } } }',
      '`mcp.servers`: expected once, found again in line 2',
    ],
  ])('%s', async (text, message) => {
    using folder = new Folder();
    const path = write(folder, 'wrong.json', text);
    const error: unknown = await readConfigFile(path, { environment: {} }).catch((thrown: unknown) => thrown);
    expect(InstructionsError.isInstance(error) && error.code).toBe('CONFIG_FILE');
    const text2 = error instanceof Error ? error.message : '';
    expect(text2).toContain(message);
    expect(text2).toContain(folder.path);
    expect(text2).not.toContain(secret);
  });

  it('a file that is not there', async () => {
    await expect(readConfigFile('/nowhere/mcp.json')).rejects.toThrow(
      '/nowhere/mcp.json: cannot be read: ENOENT',
    );
  });
});

describe('the bytes of a file', () => {
  const text = '{ "mcpServers": { "é": { "command": "x" } } }';
  const utf16be = Buffer.from(text, 'utf16le').swap16();
  it.each([
    ['UTF-8', Buffer.from(text), undefined],
    ['UTF-8 with a mark', Buffer.from(`\uFEFF${text}`), undefined],
    ['UTF-16 with a mark', Buffer.from(`\uFEFF${text}`, 'utf16le'), 'got UTF-16'],
    ['UTF-16', Buffer.from(text, 'utf16le'), 'got UTF-16'],
    ['UTF-16, high bytes first', utf16be, 'got UTF-16'],
    [
      'UTF-16, high bytes first, with a mark',
      Buffer.concat([Buffer.from([0xfe, 0xff]), utf16be]),
      'got UTF-16',
    ],
    ['Latin-1', Buffer.from(text, 'latin1'), 'got bytes that are not'],
  ])('%s', async (_, bytes, message) => {
    using folder = new Folder();
    const path = folder.file('bytes.json');
    writeFileSync(path, bytes);
    const reading = readConfigFile(path);
    if (message === undefined) expect([...(await reading).servers.keys()]).toEqual(['é']);
    else await expect(reading).rejects.toThrow(`${path}: expected UTF-8, ${message}`);
  });
});

describe('JSON', () => {
  it('stays what it is, whatever its strings hold', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value, undefined, 1);
        expect(parseJsonWithComments(text)).toEqual({ value: JSON.parse(text), repeated: [] });
      }),
    );
  });

  const parsed = (text: string, parse: (text: string) => unknown): unknown => {
    try {
      return { value: parse(text) };
    } catch {
      return 'refused';
    }
  };
  it('is what the language says, but for comments and commas at an end', () => {
    const pieces = [
      '{',
      '}',
      '[',
      ']',
      ':',
      ',',
      '"a"',
      '"b\\n"',
      '"',
      '\\',
      '1',
      '-0.5e+3',
      '01',
      'true',
      'nul',
      ' ',
      '\n',
      '/',
      '"\\"',
      '\u2028',
    ];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 9 }), (some) => {
        const text = some.join('');
        fc.pre(!/,\s*[\]}]|\/[/*]/u.test(text));
        expect(parsed(text, (json) => parseJsonWithComments(json).value)).toEqual(parsed(text, JSON.parse));
      }),
      { numRuns: 3000 },
    );
  });

  it.each([
    ['[1, 2, ]', [1, 2]],
    ['{ "a": 1, /* , */ } // }', { a: 1 }],
    ['// first\n[ "//", "/* */" /* ] */ ]', ['//', '/* */']],
  ])('%s', (text, value) => {
    expect(parseJsonWithComments(text).value).toEqual(value);
  });
  it.each(['[,]', '[1,,]', '{,}', '{"a":1,,}', '[1] 2', '/* */', '[1/]', '{"a" 1}', "{'a': 1}"])(
    'no: %s',
    (text) => {
      expect(() => parseJsonWithComments(text)).toThrow(JsonSyntaxError);
    },
  );

  it('has keys that stand twice', () => {
    const { value, repeated } = parseJsonWithComments('{"a":[{"b":1,\n"b":2}],"__proto__":1,"__proto__":2}');
    expect(Object.entries(value as object)).toEqual([
      ['a', [{ b: 2 }]],
      ['__proto__', 2],
    ]);
    expect(repeated).toEqual([
      { path: ['a', '0', 'b'], line: 2 },
      { path: ['__proto__'], line: 2 },
    ]);
  });

  it('may be large, and not deep', () => {
    const long = 'x"\\'.repeat(4_000_000);
    expect(parseJsonWithComments(JSON.stringify([long])).value).toEqual([long]);
    expect(parseJsonWithComments(`/*${'*'.repeat(10_000_000)}*/1`).value).toBe(1);
    expect(() => parseJsonWithComments('['.repeat(10_000_000))).toThrow(JsonSyntaxError);
    expect(() => parseJsonWithComments('{"a":'.repeat(1_000_000))).toThrow(JsonSyntaxError);
  });
});

describe('variables', () => {
  const values: Readonly<Record<string, string>> = { A: '${B}', B: 'b', EMPTY: '' };
  it.each([
    ['${A}', '${B}'],
    ['${B}${B}', 'bb'],
    ['$B', '$B'],
    ['${C:-}', ''],
    ['${C:-a:-b}', 'a:-b'],
    ['${EMPTY}|${EMPTY:-x}', '|x'],
    ['${A:-${NONE}}', '${B}'],
    ['${C:-${B:-x}}', 'b'],
    ['${C:-${D:-x}}', 'x'],
    ['<${C:-${D:-${B}}-${B}}>', '<b-b>'],
    ['${C:-{"a":{}}}', '{"a":{}}'],
    ['${}', '${}'],
    ['${B', '${B'],
    ['${{B}}', '${{B}}'],
    ['$${B}', '$b'],
  ])('%s', (text, expanded) => {
    expect(expandVariables({ x: [text] }, (name) => values[name])).toEqual({ x: [expanded] });
  });

  it('of a long text, and of many defaults', () => {
    const source = (): undefined => undefined;
    const long = '${ ${a ${'.repeat(1_000_000);
    expect(expandVariables(long, source)).toBe(long);
    const nested = `${'${A:-'.repeat(100_000)}${'}'.repeat(100_000)}`;
    expect(() => expandVariables(nested, source, 'args[0]')).toThrow('expected at most 16 defaults');
    expect(() => expandVariables('${A:-'.repeat(100_000), source)).toThrow('expected a `}`');
  });
});
