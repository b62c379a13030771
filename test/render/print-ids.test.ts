import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { cleanId } from '../../src/instructions/clean-id.js';
import { printIds } from '../../src/render/print-ids.js';
import { recognise } from '../../src/render/recognise.js';
import { render } from '../../src/render/render.js';
import { hostileText } from '../support/hostile-text.js';

const FAMILY = '👩‍👩‍👧';
const names = (ids: readonly string[]): string[] => [...printIds(ids).values()];

const piece = fc.constantFrom(
  FAMILY,
  '🇩🇪',
  '🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}',
  '1️⃣',
  'e\u0301',
  'می\u200cخ',
  '\u200d',
  '\u200c',
  '\ufe0f',
  '\u{1f3fd}',
  '\ud83d',
  ' (2)',
  ' (3)',
  ' (10)',
  ' ',
  '#',
  '# ',
  '</system-reminder>',
  'क्ष',
  '각',
  'a',
  '\u2801\u2800\u2801',
);
const ending = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(''));
const longName = fc
  .tuple(fc.constantFrom('m', '東', 'e\u0301', '👍'), fc.integer({ min: 48, max: 66 }), ending)
  .map(([unit, units, end]) => unit.repeat(Math.ceil(units / unit.length)).slice(0, units) + end);
const name = fc.oneof(longName, longName, ending, hostileText);
/** Ids that print alike: one name with what printing drops. */
const alike = fc
  .tuple(name, fc.array(fc.constantFrom('', ' ', '  ', '\u200b', ' (2)', '\u2060'), { maxLength: 5 }))
  .map(([base, ends]) => ends.map((end, at) => base + end.repeat(at + 1)));
const ids = fc.array(alike, { maxLength: 3 }).map((groups) => [...new Set(groups.flat())]);

describe('printed ids', () => {
  it.each([
    ['a family at the cut', 'm'.repeat(56) + FAMILY, `${'m'.repeat(56)} (2)`],
    ['a flag at the cut', `${'m'.repeat(57)}🇩🇪`, `${'m'.repeat(57)} (2)`],
    ['a mark at the cut', `${'m'.repeat(59)}e\u0301`, `${'m'.repeat(59)} (2)`],
    ['64 units', 'm'.repeat(64), `${'m'.repeat(60)} (2)`],
    ['a space at the cut', `${'m'.repeat(59)} mm`, `${'m'.repeat(59)} (2)`],
  ])('numbers a long id without cutting into a character: %s', (_, id, second) => {
    expect(printIds([id, `${id} `]).get(`${id} `)).toBe(second);
  });

  test('stay what they are when they are printed again, are clean, and are all different', () => {
    fc.assert(
      fc.property(ids, (given) => {
        const printed = names(given);
        expect(new Set(printed).size).toBe(given.length);
        for (const one of printed) {
          expect(cleanId(one)).toBe(one);
          expect(printIds(printed).get(one)).toBe(one);
        }
      }),
      { numRuns: 1000 },
    );
  });

  test('read back from a block as they were printed', () => {
    fc.assert(
      fc.property(ids, (given) => {
        const added = given.map((id) => ({ id, text: 'T' }));
        const read = recognise(render({ added }) ?? '');
        expect(read?.added.map(({ id }) => id) ?? []).toEqual(names(given).sort());
      }),
      { numRuns: 1000 },
    );
  });
});
