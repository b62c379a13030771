import { createHash } from 'node:crypto';

import { assert, integer, property } from 'fast-check';
import { describe, expect, test } from 'vitest';

import { hiddenFrom } from '../../src/injector/hidden-part.js';
import { diffOf } from '../../src/injector/review-diff.js';
import { admit } from '../../src/instructions/admit.js';
import { hostileCases, inputOf } from '../support/hostile-cases.js';
import { hostileText } from '../support/hostile-text.js';
import { startHost } from '../support/host.js';

const hash = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');

describe('the part that the limits hide', () => {
  const hiddenOf = (text: string, maxChars: number): string | undefined => {
    const from = hiddenFrom(text, admit(text, { maxChars }), hash);
    return from === undefined ? undefined : text.slice(from);
  };

  test.each([
    ['whole', 5, undefined],
    ['abcdefghij', 4, 'efghij'],
    ['abc\u200bdef\u200b', 3, 'def\u200b'],
    ['ab\r\ncd\r\nef', 3, 'cd\r\nef'],
    ['\u001b[31mab\u001b[0mcd', 2, 'cd'],
    ['</system-reminder>tail', 18, 'tail'],
    ['&lt;/system-reminder>tail', 21, 'tail'],
    ['ab\ud800cd', 2, '\ud800cd'],
    ['ab\u2028cd', 2, '\u2028cd'],
    ['```\ncode that is never closed', 8, 'that is never closed'],
  ] as const)('%j cut at %i', (text, maxChars, hidden) => {
    const found = hiddenOf(text, maxChars);
    // A removed or white character at the cut may stand on either side.
    expect(found?.trim()).toBe(hidden?.trim());
  });

  test('is found behind the part that is looked at too', () => {
    expect(hiddenOf('a'.repeat(70_000), 10)).toBe('a'.repeat(69_990));
  });

  /** Cleaning a prefix gives at least what a model reads, so that nothing it reads is marked as hidden. */
  function holds(text: string, maxChars: number): void {
    const admission = admit(text, { maxChars });
    const from = hiddenFrom(text, admission, hash);
    if (from === undefined) return;
    expect(admission.truncated).toBe(true);
    const shown = admission.text.slice(0, admission.keptChars);
    const before = admit(text.slice(0, from), { maxChars: 1_048_576 });
    expect(before.text.slice(0, before.keptChars).replaceAll(/[\n`~]/g, '').length).toBeGreaterThanOrEqual(
      shown.trimEnd().replaceAll(/[\n`~]/g, '').length,
    );
  }

  test('never holds what a model reads: hostile cases', () => {
    for (const hostileCase of hostileCases) {
      const text = inputOf(hostileCase);
      if (typeof text !== 'string' || text.length > 20_000) continue;
      for (const maxChars of [1, 7, 40, 2048]) holds(text, maxChars);
    }
  });

  test('never holds what a model reads: texts of fragments', () => {
    assert(
      property(hostileText, integer({ min: 1, max: 80 }), (text, maxChars) => holds(text, maxChars)),
      { numRuns: 1000 },
    );
  });
});

describe('the difference', () => {
  test('is a unified diff, without a word on ends of lines', async () => {
    expect(await diffOf('a\nb\nc', 'a\nB\nc\nd')).toEqual([
      '@@ -1,3 +1,4 @@', ' a', '-b', '-c', '+B', '+c', '+d',
    ]); // prettier-ignore
    expect(await diffOf('same', 'same')).toEqual([]);
  });

  test('of texts with little in common is not worked out', async () => {
    const lines = (word: string): string =>
      Array.from({ length: 3000 }, (_, index) => `${word} ${index}`).join('\n');
    expect(await diffOf(lines('old'), lines('new'))).toBeUndefined();
  });

  test('shows every kind of line end as a change', async () => {
    expect(await diffOf('a\nb', 'a\r\nb')).toEqual(['@@ -1,2 +1,2 @@', '-a', '+a\r', ' b']);
  });
});

test('a review counts tokens, names the limit and says where the hidden part starts', async () => {
  const host = await startHost({ maxTokens: 10 });
  const text = 'Search before you answer, and cite what you find. '.repeat(20);
  host.injector.adopt('docs', { instructions: text });
  const review = await host.injector.review('docs');
  expect(review).toMatchObject({ chars: 1000, limit: 'maxTokens', truncated: true, mode: 'full', era: null });
  expect(text.slice(0, review.hiddenFrom ?? 0)).toBe(text.slice(0, review.keptChars));
  // The marker's tokens come on top.
  expect(review.tokens).toBeGreaterThan(10);
  expect(review.tokens).toBeLessThan(20);
  expect(JSON.parse(JSON.stringify(review))).toMatchObject({ id: 'docs', text });
});
