import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  chainDigest,
  digestInk,
  digestKey,
  digestText,
  EMPTY_DIGEST,
} from '../../src/conversation/digest.js';

const space = fc.constantFrom(
  ' ',
  '\n',
  '\t',
  '\u00a0',
  '\u1680',
  '\u2003',
  '\u2028',
  '\u202f',
  '\u205f',
  '\u3000',
  '\ufeff',
);
const piece = fc.oneof(
  { weight: 4, arbitrary: fc.string({ maxLength: 90 }) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 20 }) },
  { weight: 2, arbitrary: space },
  { weight: 1, arbitrary: fc.constantFrom('é', '請求書', '🎉', '\ud83c') },
);
const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
const key = (digest: { high: number; low: number }): string => digestKey(digest);

describe('digests', () => {
  it('differ when texts differ', () => {
    const seen = new Map<string, string>();
    fc.assert(
      fc.property(text, (value) => {
        const name = key(digestText(value, 1));
        expect(seen.get(name) ?? value).toBe(value);
        seen.set(name, value);
      }),
      { numRuns: 20_000 },
    );
  });

  it('of an answer leave out white space, wherever it is and whatever kind it is', () => {
    const seen = new Map<string, string>();
    fc.assert(
      fc.property(text, (value) => {
        const ink = value.replaceAll(/\s/g, '');
        const name = key(digestInk(value, 1));
        expect(name).toBe(key(digestInk(ink, 1)));
        expect(seen.get(name) ?? ink).toBe(ink);
        seen.set(name, ink);
      }),
      { numRuns: 20_000 },
    );
  });

  it.each([48, 49, 65_535, 65_536, 65_537, 200_001])('see every unit of a text of %i', (length) => {
    for (const letter of ['a', '請']) {
      const whole = letter.repeat(length);
      const places = [0, 1, Math.floor(length / 2), length - 2, length - 1];
      const names = places.flatMap((at) => {
        const edited = `${whole.slice(0, at)}b${whole.slice(at + 1)}`;
        return [key(digestText(edited, 1)), key(digestInk(edited, 1))];
      });
      names.push(key(digestText(whole, 1)), key(digestText(whole.slice(1), 1)));
      expect(new Set(names).size).toBeGreaterThanOrEqual(places.length + 2);
      expect(key(digestInk(` ${whole}\n`, 1))).toBe(key(digestInk(whole, 1)));
    }
  });

  it('keep kinds and order apart', () => {
    expect(key(digestText('a', 1))).not.toBe(key(digestText('a', 2)));
    const [a, b] = [digestText('a', 1), digestText('b', 1)];
    const chained = (...digests: { high: number; low: number }[]): string =>
      key(digests.reduce((before, next) => chainDigest(before, next), EMPTY_DIGEST));
    expect(new Set([chained(a, b), chained(b, a), chained(a), chained(b), chained(a, a)]).size).toBe(5);
  });
});
