import { describe, expect, test } from 'vitest';
import { resolveSettings } from '../../src/options.js';
import { settingsOf } from './loose.js';

describe('protocol', () => {
  test.each([
    ['legacy', 'legacy'],
    ['auto', 'auto'],
    ['2026-07-28', { pin: '2026-07-28' }],
    ['2027-01-31', { pin: '2027-01-31' }],
  ])('the variable %j', (text, value) => {
    expect(resolveSettings({}, { MCP_INSTRUCTIONS_PROTOCOL: text }).settings.protocol).toEqual(value);
    expect(settingsOf({ protocol: value }).protocol).toEqual(value);
  });

  test.each([
    'Auto',
    'modern',
    'legacy ',
    '2025-06-18',
    '2026-7-28',
    '2026-13-01',
    '2026-12-32',
    '２０２６-07-28',
    '2026-07-28\n',
    '__proto__',
  ])('the variable does not accept %j', (text) => {
    const { settings, ignored } = resolveSettings({}, { MCP_INSTRUCTIONS_PROTOCOL: text });
    expect(settings.protocol).toBe('auto');
    expect(ignored).toHaveLength(1);
  });

  test.each([
    { pin: 'auto' },
    { pin: '2025-06-18' },
    { pin: 20260728 },
    {},
    '2026-07-28',
    null,
    true,
    ['auto'],
  ])('the option does not accept %j', (value) => {
    expect(() => settingsOf({ protocol: value })).toThrow(/^protocol: expected 'legacy', 'auto' or \{ pin/);
  });

  test('is a frozen copy', () => {
    const pin = { pin: '2026-07-28' };
    const { protocol } = settingsOf({ protocol: pin });
    expect(protocol).not.toBe(pin);
    expect(Object.isFrozen(protocol)).toBe(true);
  });
});

describe('disabled', () => {
  test.each([
    ['0', false],
    ['1', true],
    ['true', true],
    ['false', false],
  ])('the variable %j is %j', (text, value) => {
    expect(resolveSettings({}, { MCP_INSTRUCTIONS_DISABLED: text })).toMatchObject({
      settings: { disabled: value },
      ignored: [],
    });
  });
  test.each(['TRUE', 'yes', 'on', '2', ' 1', '01', 'toString', '__proto__'])(
    'the variable does not accept %j',
    (text) => {
      const { settings, ignored } = resolveSettings({}, { MCP_INSTRUCTIONS_DISABLED: text });
      expect(settings.disabled).toBe(false);
      expect(ignored).toHaveLength(1);
    },
  );
  test.each([0, 1, 'true', null])('the option does not accept %j', (value) => {
    expect(() => settingsOf({ disabled: value })).toThrow('disabled: expected true or false');
  });
});

describe('logLevel', () => {
  test.each(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])('%s', (level) => {
    expect(resolveSettings({}, { MCP_INSTRUCTIONS_LOG_LEVEL: level }).settings.logLevel).toBe(level);
    expect(settingsOf({ logLevel: level }).logLevel).toBe(level);
  });
  test.each(['WARN', 'warning', '30', 'off'])('does not accept %j', (level) => {
    expect(resolveSettings({}, { MCP_INSTRUCTIONS_LOG_LEVEL: level }).ignored).toHaveLength(1);
    expect(() => settingsOf({ logLevel: level })).toThrow('logLevel: expected one of');
  });
});

describe('what an ignored variable shows', () => {
  const shown = (value: string): string | undefined =>
    resolveSettings({}, { MCP_INSTRUCTIONS_MAX_LENGTH: value }).ignored[0]?.value;

  test('is bounded, whatever came', () => {
    expect(shown('x'.repeat(10_000))).toBe(`${'x'.repeat(64)}…`);
    expect(shown(`${'x'.repeat(63)}😀`)).toBe(`${'x'.repeat(63)}…`);
  });
  test('has its control characters and invisibles made visible', () => {
    expect(shown('5\n\u001b[31m\u0000\u200b\u2028\u{e0041}\ud800')).toBe(
      String.raw`5\u{a}\u{1b}[31m\u{0}\u{200b}\u{2028}\u{e0041}\u{d800}`,
    );
  });
  test('keeps what is merely odd', () => {
    expect(shown('２０４８')).toBe('２０４８');
  });
});
