import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cap, TRUNCATION_MARKER } from '../../src/instructions/cap.js';
import { closeOpenFence } from '../../src/instructions/fences.js';
import { graphemeBorder } from '../../src/instructions/graphemes.js';

const FAMILY = '👨\u200d👩\u200d👧\u200d👦';
const SCOTLAND = '\u{1f3f4}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}';
const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });
const clustersOf = (text: string): string[] => Array.from(segmenter.segment(text), ({ segment }) => segment);

/** The longest prefix of whole clusters, counted from the start. */
function wholeClusters(text: string, limit: number): number {
  let end = 0;
  for (const cluster of clustersOf(text)) {
    if (end + cluster.length > limit) break;
    end += cluster.length;
  }
  return end;
}

test('the marker is 13 units', () => {
  expect(TRUNCATION_MARKER).toBe('\u2026 [truncated]');
  expect(TRUNCATION_MARKER).toHaveLength(13);
});

describe('a cut never splits', () => {
  const clusters = {
    'an emoji pair': '\u{1f389}',
    'a family': FAMILY,
    'a flag of letters': '🇨🇦',
    'a flag of tags': SCOTLAND,
    'an emoji and its selector': '✔\ufe0f',
    'a keycap': '1\ufe0f\u20e3',
    'a skin tone': '👍🏽',
    'a Hangul syllable of jamo': '\u1112\u1161\u11ab',
    'a base and its marks': 'e\u0301\u0323\u0302',
    'a conjunct': 'क\u094d\u200dष',
    'a Thai syllable': 'น้ำ',
  };

  test.each(Object.entries(clusters))('%s, at every cap', (_, cluster) => {
    const text = `ab${cluster}${cluster}c${cluster}`;
    for (let maxChars = 1; maxChars < text.length; maxChars += 1) {
      const { text: cut, keptChars, lostChars } = cap(text, maxChars);
      expect(keptChars).toBe(wholeClusters(text, maxChars));
      expect(cut).toBe(text.slice(0, keptChars) + TRUNCATION_MARKER);
      expect(lostChars).toBe(text.length - keptChars);
      expect(cut.isWellFormed()).toBe(true);
    }
    expect(cap(text, text.length)).toEqual({ text, keptChars: text.length, lostChars: 0 });
  });

  test('an odd window over a long row of flags', () => {
    const flags = '🇨🇦'.repeat(400);
    for (let limit = 900; limit < 930; limit += 1)
      expect(graphemeBorder(flags, limit)).toBe(limit - (limit % 4));
    for (let limit = 901; limit < 930; limit += 1) {
      expect(graphemeBorder(`a${flags}`, limit)).toBe(limit - ((limit - 1) % 4));
    }
  });

  test('texts of all kinds, at every place, against counting clusters from the start', () => {
    const kind = fc.constantFrom(
      ...Object.values(clusters),
      'a',
      'b ',
      '\n',
      'é',
      '請',
      '\u0301',
      '\u200d',
      '🇨',
      '\u{1f469}',
    );
    fc.assert(
      fc.property(fc.array(kind, { maxLength: 30 }), (parts) => {
        const text = parts.join('');
        for (let limit = 0; limit <= text.length; limit += 1) {
          const expected = wholeClusters(text, limit);
          // A longer cluster than any honest one may be cut inside.
          expect(graphemeBorder(text, limit)).toBe(
            limit - expected > 128 ? graphemeBorder(text, limit) : expected,
          );
        }
      }),
      { numRuns: 300 },
    );
  });

  test('a cluster longer than the window is cut after one of its characters', () => {
    const chain = `a${'👨\u200d'.repeat(2000)}`;
    for (const maxChars of [140, 141, 142, 143, 255, 256, 257, 258, 1000, 1001, 1002, 1003]) {
      const { text, keptChars } = cap(chain, maxChars);
      expect(keptChars).toBeGreaterThan(maxChars - 6);
      expect(text.isWellFormed()).toBe(true);
      expect(text).not.toContain(`\u200d${TRUNCATION_MARKER}`);
    }
  });

  test('no joiner is left before the marker', () => {
    expect(cap('می\u200cخواهم', 3).text).toBe(`می${TRUNCATION_MARKER}`);
  });
});

describe('cutting again', () => {
  test.each([
    ['a cut text', `${'a'.repeat(10)}${TRUNCATION_MARKER}`],
    ['a cut text in a fence', `\`\`\`\n${'a'.repeat(6)}${TRUNCATION_MARKER}\n\`\`\``],
    ['a cut text that was stepped back', `${'a'.repeat(7)}${TRUNCATION_MARKER}`],
    ['a closing fence on top', '```\nabcdef\n```'],
    ['nothing but the marker', TRUNCATION_MARKER],
  ])('%s stays', (_, text) => {
    expect(closeOpenFence(cap(text, 10).text)).toBe(text);
    expect(cap(text, 10).keptChars).toBeLessThanOrEqual(10);
  });

  test('a marker further on is cut like any text', () => {
    expect(cap(`${'a'.repeat(11)}${TRUNCATION_MARKER}`, 10).text).toBe('a'.repeat(10) + TRUNCATION_MARKER);
    expect(cap(`aaa${TRUNCATION_MARKER} and more`, 10).text).toBe(
      `aaa${TRUNCATION_MARKER.slice(0, 7)}${TRUNCATION_MARKER}`,
    );
  });

  test('a closing line that closes nothing counts', () => {
    expect(cap('aaaaaaaaaa\n```', 10)).toEqual({
      text: `aaaaaaaaaa${TRUNCATION_MARKER}`,
      keptChars: 10,
      lostChars: 4,
    });
  });
});

test('what an earlier limit lost is marked even when all the rest fits', () => {
  expect(cap('abc', 10, 5)).toEqual({ text: `abc${TRUNCATION_MARKER}`, keptChars: 3, lostChars: 5 });
  expect(cap('abcdef', 3, 5)).toEqual({ text: `abc${TRUNCATION_MARKER}`, keptChars: 3, lostChars: 8 });
});
