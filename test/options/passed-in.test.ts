import { describe, expect, test } from 'vitest';
import { InstructionsError } from '../../src/errors.js';
import { errorOf, settingsOf, untyped } from './loose.js';

describe.each([
  ['storeTimeoutMs', 2_147_483_647],
  ['refreshMs', 2_147_483_647],
  ['maxParallel', 1_000],
])('%s', (option, most) => {
  test.each([0, -1, most + 1, '5', null, Number.NaN])('does not accept %j', (value) => {
    expect(() => settingsOf({ [option]: value })).toThrow(
      `${option}: expected a whole number from 1 to ${most}`,
    );
  });
  test.each([1, most])('accepts %d', (value) => {
    expect(Reflect.get(settingsOf({ [option]: value }), option)).toBe(value);
  });
});

describe('what the host passes in', () => {
  const log = (): void => {};
  const accepted: Record<string, unknown[]> = {
    servers: [{}, { a: { command: 'x' } }],
    logger: [{ debug: log, info: log, warn: log, error: log }, Object.assign(() => {}, console)],
    store: [new Map(), { get: log, set: log, delete: log, update: log }],
    onReport: [log],
    countWith: [{ messages: { countTokens: log } }],
    policy: ['allow', 'pinned', 'first-use'],
    pins: ['pins.json', {}, { identity: 'a'.repeat(64) }],
    clientInfo: [{ name: 'host', version: '1' }],
    capabilities: [{}, { roots: {} }],
    onClient: [log],
  };
  const refused: Record<string, unknown[]> = {
    servers: [[], 'servers.json', null, 5],
    logger: [{}, { debug: log, info: log, warn: log }, null, 'console', true],
    store: [
      {},
      { get: log, set: log },
      { get: log, set: log, delete: log, update: 5 },
      null,
      'redis://:S3CRET@host',
    ],
    onReport: [{}, null, 'log'],
    countWith: [{}, { messages: {} }, { messages: null }, null, log],
    policy: ['Pinned', true, null, {}],
    pins: ['', { identity: 'S3CRET' }, { identity: 5 }, [], null],
    clientInfo: [{ name: 'host' }, { name: 'host', version: 1 }, 'S3CRET', null],
    capabilities: [[], null, 'roots'],
    onClient: [{}, null],
  };
  for (const [option, values] of Object.entries(accepted)) {
    test.each(values.map((value) => ({ value })))(`${option} accepts $value`, ({ value }) => {
      expect(Reflect.get(settingsOf({ [option]: value }), option)).toEqual(value);
    });
  }
  for (const [option, values] of Object.entries(refused)) {
    test.each(values.map((value) => ({ value })))(`${option} does not accept $value`, ({ value }) => {
      const error = errorOf(() => settingsOf({ [option]: value }));
      expect(InstructionsError.isInstance(error) && error.code).toBe('INVALID_OPTION');
      expect(String(error)).toContain(`${option}: expected `);
      expect(String(error)).not.toContain('S3CRET');
    });
  }

  test('methods of a class count', () => {
    class Store {
      get(): void {}
      set(): void {}
      delete(): void {}
    }
    const store = new Store();
    expect(settingsOf({ store }).store).toBe(store);
  });

  test('pins are a frozen copy', () => {
    const pins = { identity: 'a'.repeat(64) };
    const settings = settingsOf({ pins });
    pins.identity = 'b'.repeat(64);
    expect(settings.pins).toEqual({ identity: 'a'.repeat(64) });
    expect(Object.isFrozen(settings.pins)).toBe(true);
  });
});

describe('unknown options', () => {
  test('are listed, safe to print, and change nothing', () => {
    const resolved = untyped.resolve({ maxLength: 5, 'a\u202eb': 1, maxChars: 7 }, {});
    expect(resolved.unknown).toEqual(['maxLength', String.raw`a\u{202e}b`]);
    expect(resolved.settings.maxChars).toBe(7);
  });
  test.each([null, [], 'x', 5, () => {}])('options that are no object: %j', (options) => {
    if (options === null) expect(settingsOf(options).maxChars).toBe(2048);
    else expect(() => settingsOf(options)).toThrow('options: expected an object');
  });
});
