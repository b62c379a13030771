import fc from 'fast-check';
import { expect, test } from 'vitest';

import { inert, inertJson } from '../../src/cli/inert.js';

/** Controls, bidi marks, tag characters and the like: what a terminal acts on or does not show. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}]/u;

test('what steers a terminal, or is not seen, is escaped', () => {
  expect(inert('a\u001b[31mb')).toBe('a\\u{1b}[31mb');
  expect(inert('\u009b2J')).toBe('\\u{9b}2J');
  expect(inert('safe\u202eevil\u{e0041}\u3164')).toBe('safe\\u{202e}evil\\u{e0041}\\u{3164}');
  expect(inert('line\nline\r\t')).toBe('line\\u{a}line\\u{d}\\u{9}');
  expect(inert('日本語 é ß')).toBe('日本語 é ß');
});

test('nothing unseen passes, whatever the text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(inert(text)).not.toMatch(UNSEEN);
    }),
  );
});

test('JSON stays the same value and holds nothing unseen but its own line ends', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' })), (value) => {
      const json = inertJson(value);
      expect(json.replaceAll('\n', '')).not.toMatch(UNSEEN);
      expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});
