import { describe, expect, test } from 'vitest';
import { InstructionsError } from '../src/errors.js';
import { resolveSettings } from '../src/options.js';
import { settingTable } from '../src/options/table.js';
import { errorOf, settingsOf } from './options/loose.js';
import { readTable } from './support/markdown-table.js';

const defaults = resolveSettings(undefined, {}).settings;

describe('defaults', () => {
  test('are those of the table, complete and frozen', () => {
    expect(defaults).toEqual({
      maxChars: 2048,
      maxTokens: undefined,
      maxTotalChars: undefined,
      maxTotalTokens: undefined,
      firstTurnWaitMs: 5000,
      connectTimeoutMs: 30_000,
      unavailableGraceMs: 60_000,
      protocol: 'auto',
      disabled: false,
      logLevel: 'warn',
      servers: {},
      logger: undefined,
      store: undefined,
      storeTimeoutMs: 1000,
      onReport: undefined,
      countWith: undefined,
      policy: 'allow',
      pins: undefined,
      clientInfo: undefined,
      capabilities: undefined,
      onClient: undefined,
      refreshMs: undefined,
      maxParallel: 16,
    });
    expect(Object.isFrozen(defaults)).toBe(true);
  });

  test('hold for empty options and for options set to undefined', () => {
    const allUndefined = Object.fromEntries(Object.keys(defaults).map((key) => [key, undefined]));
    expect(resolveSettings({}, {})).toEqual({ settings: defaults, ignored: [], unknown: [] });
    expect(resolveSettings(allUndefined, {})).toEqual({ settings: defaults, ignored: [], unknown: [] });
  });
});

describe('precedence', () => {
  test('a variable goes before the default, an option before the variable', () => {
    const environment = { MCP_INSTRUCTIONS_MAX_LENGTH: '25000', MCP_INSTRUCTIONS_DISABLED: '1' };
    expect(resolveSettings({}, environment).settings).toMatchObject({ maxChars: 25_000, disabled: true });
    expect(resolveSettings({ maxChars: 7, disabled: false }, environment).settings).toMatchObject({
      maxChars: 7,
      disabled: false,
    });
  });

  test('a variable that is not accepted is reported even where an option is given', () => {
    const { settings, ignored } = resolveSettings({ maxChars: 7 }, { MCP_INSTRUCTIONS_MAX_LENGTH: '25,000' });
    expect(settings.maxChars).toBe(7);
    expect(ignored).toEqual([
      {
        variable: 'MCP_INSTRUCTIONS_MAX_LENGTH',
        value: '25,000',
        accepted: 'digits only, a whole number from 1 to 9007199254740991',
      },
    ]);
  });

  test('only variables of the table are read', () => {
    const read: string[] = [];
    const environment = new Proxy<Record<string, string>>(
      {},
      { get: (_, key) => void read.push(String(key)) },
    );
    resolveSettings({}, environment);
    expect(new Set(read)).toEqual(new Set(Object.values(settingTable).map((row) => row.variable)));
  });
});

const numbers = ['maxChars', 'maxTokens', 'maxTotalChars', 'maxTotalTokens'] as const;
const delays = ['connectTimeoutMs', 'firstTurnWaitMs', 'unavailableGraceMs'] as const;
const mayBeZero: ReadonlySet<string> = new Set(['firstTurnWaitMs', 'unavailableGraceMs']);

const refusedTexts = [
  ' 2048', '2048 ', ' 3000 ', '\t5', '5\n', '25,000', '2_048', '1e3', '1e4', '1e306', '0x800', '0x10', '0b1', '0o7', '-1', '-5', '-0', '+3000',
  '3000.5', '5.', '.5', 'NaN', 'Infinity', '-Infinity', '２０４８', '٣', '30s', '5 000', '5\u00a0000', 'true', 'null', 'undefined', '1n', '٫', '５', ' ',
  '9007199254740992', '9'.repeat(400),
]; // prettier-ignore

const refusedValues = [
  '', '2048', ' 2048', '25,000', '0x800', -1, -5, Number.NaN, Infinity, -Infinity, 1e306, 3000.5, 2 ** 53, true, false, null, 5n, [], [5], {}, new Date(5), () => 5, Symbol('5'),
  Object(5),
]; // prettier-ignore

describe.each([...numbers, ...delays])('%s', (option) => {
  const { variable, fallback } = settingTable[option];
  const isDelay = delays.some((name) => name === option);
  const zero = mayBeZero.has(option);

  test.each(refusedTexts)('the variable does not accept %j', (value) => {
    const { settings, ignored } = resolveSettings({}, { [variable]: value });
    expect(settings[option]).toBe(fallback);
    expect(ignored).toMatchObject([{ variable }]);
  });

  test.each(refusedValues.map((value) => ({ value })))('the option does not accept $value', ({ value }) => {
    const error = errorOf(() => settingsOf({ [option]: value }));
    expect(InstructionsError.isInstance(error) && error.code).toBe('INVALID_OPTION');
    expect(String(error)).toMatch(
      new RegExp(`${option}: expected a whole number from ${zero ? 0 : 1} to \\d+, got \\S`),
    );
  });

  test.each([
    ['1', 1],
    ['007', 7],
    ['0000000000000000000000000000000000002048', 2048],
    ['2147483647', 2_147_483_647],
  ])('%j is %d, as is the option', (text, value) => {
    expect(resolveSettings({}, { [variable]: text })).toMatchObject({
      settings: { [option]: value },
      ignored: [],
    });
    expect(settingsOf({ [option]: value })[option]).toBe(value);
  });

  test('an empty variable counts as unset, silently', () => {
    expect(resolveSettings({}, { [variable]: '' })).toEqual({ settings: defaults, ignored: [], unknown: [] });
  });

  test(`0 is ${zero ? 'accepted' : 'refused'}`, () => {
    const { settings, ignored } = resolveSettings({}, { [variable]: '0' });
    expect(settings[option]).toBe(zero ? 0 : fallback);
    expect(ignored).toHaveLength(zero ? 0 : 1);
    if (zero) expect(settingsOf({ [option]: -0 })[option]).toBe(0);
    else expect(() => settingsOf({ [option]: 0 })).toThrow('expected a whole number from 1');
  });

  test(`the upper limit is ${isDelay ? 'the longest timer' : 'the largest safe integer'}`, () => {
    const limit = isDelay ? 2_147_483_647 : Number.MAX_SAFE_INTEGER;
    expect(resolveSettings({}, { [variable]: String(limit) }).settings[option]).toBe(limit);
    expect(resolveSettings({}, { [variable]: String(limit + 1) }).settings[option]).toBe(fallback);
    expect(() => settingsOf({ [option]: limit + 1 })).toThrow(`from ${zero ? 0 : 1} to ${limit}`);
  });
});

describe('docs/options.md', () => {
  test('has the table as it is, row for row', () => {
    const expected = Object.entries(settingTable).map(([option, { variable, fallback, kind }]) => [
      `\`${variable}\``,
      `\`${option}\``,
      fallback === undefined ? 'none' : `\`${JSON.stringify(fallback).replaceAll('"', '')}\``,
      kind.accepted,
    ]);
    expect(expected).toHaveLength(10);
    expect(readTable('docs/options.md', 'variable')).toEqual(expected);
  });
  test('names every other option', () => {
    const others = Object.keys(defaults).filter((name) => !Object.hasOwn(settingTable, name));
    const documented = readTable('docs/options.md', 'option').map(([name]) => name);
    expect(new Set(documented)).toEqual(new Set(others.map((name) => `\`${name}\``)));
    expect(documented).toHaveLength(others.length);
  });
});
