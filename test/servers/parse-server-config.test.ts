import { describe, expect, it } from 'vitest';

import { InstructionsError } from '../../src/errors.js';
import { isSameConnection } from '../../src/servers/same-configuration.js';
import { parseInstructionsOptions, parseServerConfig } from '../../src/servers/server-config.js';

function refusal(config: unknown): string {
  try {
    parseServerConfig('one', config);
  } catch (error) {
    if (InstructionsError.isInstance(error) && error.code === 'INVALID_SERVER') return error.message;
    throw error;
  }
  return 'accepted';
}

describe('a configuration in one form', () => {
  it('stdio', () => {
    const config = parseServerConfig('one', {
      command: 'node',
      args: ['a'],
      env: { A: '1', B: undefined },
      cwd: '/x',
      type: 'stdio',
    });
    expect(config).toEqual({
      transport: 'stdio',
      command: 'node',
      args: ['a'],
      env: new Map([['A', '1']]),
      cwd: '/x',
      policy: { mode: 'full', override: undefined, maxChars: undefined, maxTokens: undefined },
      protocol: undefined,
      connectTimeoutMs: undefined,
      required: false,
    });
  });

  it.each([undefined, 'http', 'streamable-http', 'streamableHttp'])('type %s is Streamable HTTP', (type) => {
    const url = new URL('https://example.com/mcp');
    expect(parseServerConfig('one', { url, type })).toMatchObject({ transport: 'http', url: url.href });
  });

  it('policies', () => {
    const policy = (options: object): unknown => parseInstructionsOptions('one', options);
    const none = { override: undefined, maxChars: undefined, maxTokens: undefined };
    expect(policy({})).toEqual({ ...none, mode: 'full' });
    expect(policy({ instructions: true, maxChars: 5 })).toEqual({ ...none, mode: 'full', maxChars: 5 });
    expect(policy({ instructions: false })).toEqual({ ...none, mode: 'off' });
    expect(policy({ instructions: 'mine' })).toEqual({ ...none, mode: 'full', override: 'mine' });
    expect(policy({ instructions: { mode: 'user-only', maxTokens: 9 }, maxTokens: 5 })).toEqual({
      ...none,
      mode: 'user-only',
      maxTokens: 9,
    });
  });
});

describe('a wrong configuration names server, field, what was expected and what kind came', () => {
  const secret = 'hunter2';
  it.each<[unknown, string]>([
    [secret, 'server "one": expected an object, got a string'],
    [null, 'expected an object, got null'],
    [[], 'expected an object, got an array'],
    [{}, 'expected `command` or `url`, got neither'],
    [{ url: undefined }, 'server "one": `url`: expected an absolute address, got undefined'],
    [{ url: undefined, headers: {} }, '`url`: expected an absolute address, got undefined'],
    [{ command: undefined }, '`command`: expected a string that is not empty, got undefined'],
    [{ command: undefined, url: undefined }, 'expected `command` or `url`, got both as undefined'],
    [{ url: null }, '`url`: expected an absolute address, got null'],
    [{ command: 5 }, '`command`: expected a string that is not empty, got a number'],
    [{ command: '' }, '`command`: expected a string that is not empty, got an empty string'],
    [{ command: 'x', args: [secret, 5] }, '`args[1]`: expected a string without NUL, got a number'],
    [{ command: 'x', env: { [secret]: 5 } }, 'got a number'],
    [
      { command: 'x', env: { 'A=B': secret } },
      '`env`: expected keys that are not empty and without `=`, got a string',
    ],
    [{ command: 'x', type: 'http' }, "`type`: expected 'stdio' beside `command`"],
    [{ url: 'http://a', type: 'stdio' }, "`type`: expected 'http' or 'sse' beside `url`"],
    [{ url: `ftp://user:${secret}@a` }, '`url`: expected an `http:` or `https:` address, got a string'],
    [{ url: 'http://a', headers: { 'bad name': secret } }, '`headers`: expected keys that are header names'],
    [
      { url: 'http://a', headers: { Authorization: `${secret}\nX: y` } },
      '`headers.Authorization`: expected a header value on one line',
    ],
    [
      { url: 'http://a', authProvider: secret },
      "`authProvider`: expected one of the SDK's auth providers, got a string",
    ],
    [{ url: 'http://a', fetch: {} }, '`fetch`: expected a function, got an object'],
    [{ command: 'x', protocol: '2026-07-28' }, '`protocol`: expected'],
    [{ command: 'x', protocol: { pin: '2025-11-25' } }, '`protocol`: expected'],
    [
      { command: 'x', connectTimeoutMs: 2_147_483_648 },
      '`connectTimeoutMs`: expected a whole number from 1 to 2147483647, got a number',
    ],
    [{ command: 'x', connectTimeoutMs: 0 }, '`connectTimeoutMs`'],
    [
      { command: 'x', connectTimeoutMs: '30s' },
      '`connectTimeoutMs`: expected a whole number from 1 to 2147483647, got a string',
    ],
    [{ command: 'x', required: 'yes' }, '`required`: expected true or false, got a string'],
    [{ command: 'x', maxChars: 1.5 }, '`maxChars`: expected a whole number'],
    [
      { command: 'x', instructions: 5 },
      '`instructions`: expected true, false, a string or an object, got a number',
    ],
    [{ command: 'x', instructions: { mode: secret } }, "expected 'full', 'user-only' or 'off', got a string"],
    [
      { command: 'x', instructions: { maxChars: -1 } },
      '`instructions.maxChars`: expected a positive whole number',
    ],
    [Object.create({ command: 'x' }), 'expected `command` or `url`, got neither'],
  ])('%j', (config, message) => {
    const refused = refusal(config);
    expect(refused).toContain(message);
    expect(refused).toContain('server "one"');
    expect(refused.replace(`env.${secret}`, '')).not.toContain(secret);
  });
});

describe('whether a reload must reconnect', () => {
  const base = { command: 'a', args: ['b'], env: { C: 'd' }, cwd: '/e' };
  const same = (other: unknown): boolean =>
    isSameConnection(parseServerConfig('one', base), parseServerConfig('one', other));

  it('not for a policy', () => {
    expect(same({ ...base, maxChars: 5, required: true, instructions: false })).toBe(true);
  });

  it.each<[string, unknown]>([
    ['command', { ...base, command: 'x' }],
    ['args', { ...base, args: ['b', 'c'] }],
    ['env', { ...base, env: { C: 'x' } }],
    ['cwd', { ...base, cwd: undefined }],
    ['protocol', { ...base, protocol: 'legacy' }],
    ['connectTimeoutMs', { ...base, connectTimeoutMs: 5 }],
    ['transport', { url: 'http://a' }],
  ])('for %s', (_field, other) => {
    expect(same(other)).toBe(false);
  });

  it('for an address, a header, a provider, a fetch', () => {
    const url = 'http://a/';
    const http = parseServerConfig('one', { url });
    expect(isSameConnection(http, parseServerConfig('one', { url }))).toBe(true);
    for (const other of [
      { url: 'http://b/' },
      { url, headers: { a: 'b' } },
      { url, fetch: async () => new Response() },
      { url, type: 'sse' },
    ])
      expect(isSameConnection(http, parseServerConfig('one', other))).toBe(false);
  });
});
