import { writeFileSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { InstructionsError } from '../../src/errors.js';
import { readConfigFile } from '../../src/servers/config-file.js';
import { expandVariables } from '../../src/servers/expand-variables.js';
import { parseJsonWithComments } from '../../src/servers/json-with-comments.js';
import { Folder } from './support/lab.js';

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

describe('a wrong file is named, with the key and what was expected', () => {
  const secret = 'hunter2';
  it.each([
    ['{ "mcpServers": {\n "a": { "command": "hunter2", } } ', 'line 2: expected JSON'],
    ['{ "other": {} }', 'expected `mcpServers` or `servers`, found neither'],
    ['{ "mcpServers": ["hunter2"] }', '`mcpServers`: expected an object, got an array'],
    ['["hunter2"]', 'the file: expected an object, got an array'],
    ['{ "servers": { "a": "hunter2" } }', '`servers.a`: expected an object, got a string'],
    [
      '{ "servers": { "a": { "command": "x", "args": "hunter2" } } }',
      '`servers.a`: `args`: expected an array of strings, got a string',
    ],
    [
      '{ "servers": { "a": { "command": "x", "env": { "KEY": 5 } } } }',
      '`servers.a`: `env.KEY`: expected a string without NUL, got',
    ],
    [
      '{ "servers": { "a": { "url": "hunter2" } } }',
      '`servers.a`: `url`: expected an absolute address, got a string',
    ],
    [
      '{ "servers": { "a": { "url": "file:///hunter2" } } }',
      '`url`: expected an `http:` or `https:` address',
    ],
    [
      '{ "servers": { "a": { "command": "x", "url": "http://hunter2" } } }',
      'expected `command` or `url`, got both',
    ],
    ['{ "servers": { "a": { } } }', 'expected `command` or `url`, got neither'],
    [
      '{ "servers": { "a": { "command": "x", "env": { "K": "${NOT_SET}" } } } }',
      '`servers.a.env.K`: expected a value for ${NOT_SET}, found none',
    ],
    ['{ "servers": { "a": { "command": "x", "envFile": "none.env" } } }', 'cannot be read: ENOENT'],
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

it('JSON stays what it is, whatever its strings hold', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value, undefined, 1);
      expect(parseJsonWithComments(text)).toEqual(JSON.parse(text));
    }),
  );
});

it('values are put in once, and never expanded again', () => {
  const source = (name: string): string | undefined => ({ A: '${B}', B: 'b' })[name];
  expect(expandVariables({ x: ['${A}', '${B}${B}', '$B', '${C:-}', '${C:-a:-b}'] }, source)).toEqual({
    x: ['${B}', 'bb', '$B', '', 'a:-b'],
  });
});
