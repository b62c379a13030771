import fc from 'fast-check';
import { expect, test } from 'vitest';

import { inert, inertJson } from '../../src/cli/inert.js';
import { visibleText } from '../../src/cli/inspect/page/visible-text.js';
import { formatPins } from '../../src/injector/trust/pin-file-format.js';
import { admit } from '../../src/instructions/admit.js';

/** Controls, bidi marks, tag characters and the like: what a terminal acts on or does not show. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}]/u;

test('what steers a terminal, or is not seen, is escaped', () => {
  expect(inert('a\u001b[31mb')).toBe('a\\u{1b}[31mb');
  expect(inert('\u009b2J')).toBe('\\u{9b}2J');
  expect(inert('safe\u202eevil\u{e0041}\u3164')).toBe('safe\\u{202e}evil\\u{e0041}\\u{3164}');
  expect(inert('line\nline\r\t')).toBe('line\\u{a}line\\u{d}\\u{9}');
  expect(inert('日本語 é ß')).toBe('日本語 é ß');
});

test('every character that cleaning removes is escaped wherever a person reads: terminal, page, pin file', () => {
  const CHUNK = 2048;
  for (let first = 0; first < 0x110000; first += CHUNK) {
    const all = Array.from({ length: CHUNK }, (_, index) => String.fromCodePoint(first + index))
      // Layout, and what is no character.
      .filter((character) => !/[\n\t\ud800-\udfff]/.test(character) || character.length === 2);
    const seen = all.filter((character) => inert(character) === character);
    const text = seen.map((character) => `a${character}b`).join('');
    expect(text === '' || admit(text, { maxChars: 1_000_000, sha256: () => '' }).text === text).toBe(true);

    const unseen = all.filter((character) => inert(character) !== character);
    const pin = { server: '', era: null, sha256: '', text: unseen.join('') };
    const read = visibleText(unseen.join('')).toString() + formatPins(new Map([['', [pin]]]));
    const characters = new Set(read.replaceAll('\n', ''));
    expect(unseen.filter((character) => characters.has(character))).toEqual([]);
  }
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
