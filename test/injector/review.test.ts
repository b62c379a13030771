import { array, assert, constantFrom, integer, property } from 'fast-check';
import { describe, expect, test } from 'vitest';

import type { AdoptOptions, Review } from '../../src/injector.js';
import { hiddenFrom } from '../../src/injector/hidden-part.js';
import { diffOf } from '../../src/injector/review-diff.js';
import { admit } from '../../src/instructions/admit.js';
import type { Options } from '../../src/options.js';
import { hostileCases, inputOf } from '../support/hostile-cases.js';
import { hostileText } from '../support/hostile-text.js';
import { startHost } from '../support/host.js';

/** White space, joiners, selectors and fences, which cleaning keeps or not by what is beside them. */
const BESIDE = /\s|[`~\u2800\u{e0000}-\u{e0fff}]|\u200b|\u200c|\u200d|\ufe0e|\ufe0f/gu;

describe('the part that the limits hide', () => {
  const hiddenOf = (text: string, maxChars: number): string | undefined => {
    const from = hiddenFrom(text, admit(text, { maxChars }), maxChars);
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

  test('a terminal escape that repeats the text leads to no other place', () => {
    const tail = 'READ-ONLY: never delete.';
    const words = 'word '.repeat(20);
    expect(hiddenOf(`${words}${tail}\u001b]0;${tail}\u0007`, 100)).toBe(`${tail}\u001b]0;${tail}\u0007`);
    expect(hiddenOf(`${words}\u001b]0;${tail}\u0007${tail}`, 100)).toBe(tail);
    expect(hiddenOf(`\u001b]0;${words}\u0007${words}${tail}`, 100)).toBe(tail);
  });

  test('an escape that is open where looking ends is text, and what follows is marked', () => {
    const text = `${'A '.repeat(50)}\u001b]0;${'B'.repeat(70_000)}\u0007tail`;
    const shown = admit(text, { maxChars: 2_048 });
    expect(shown.text).toContain(`A ]0;${'B'.repeat(100)}`);
    expect(hiddenOf(text, 2_048)).toBe(text.slice(2_049));
  });

  test('all that is hidden is marked, whatever stands in the text', () => {
    const flood = 'x'.repeat(70_000);
    expect(hiddenOf(flood, 65_536)).toHaveLength(70_000 - 65_536);
    expect(hiddenOf('\n'.repeat(70_000), 10)).toHaveLength(70_000);
    expect(hiddenOf('x'.repeat(1_048_577), 10)).toHaveLength(1_048_577);
    expect(hiddenOf(`${'x'.repeat(65_536)} and more`, 16_384)).toHaveLength(49_161);
  });

  /** A mark right at the place must stand right behind what a model reads. */
  function holds(text: string, maxChars: number): void {
    const admission = admit(text, { maxChars });
    const from = hiddenFrom(text, admission, maxChars);
    expect(from !== undefined).toBe(admission.truncated);
    if (from === undefined || text.length > 60_000) return;
    const mark = '\u{1f6d1}';
    const marked = admit(`${text.slice(0, from)}${mark}${text.slice(from)}`, { maxChars: 1_048_576 });
    const at = marked.text.indexOf(mark);
    expect(at).not.toBe(-1);
    const shown = admission.text.slice(0, admission.keptChars).replaceAll(BESIDE, '');
    expect(marked.text.slice(0, at).replaceAll(BESIDE, '')).toHaveLength(shown.length);
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

  test('is right behind what a model reads: terminal escapes, open and closed', () => {
    const escapes = constantFrom(
      '\u001b]0;',
      '\u0007',
      '\u001b\\',
      '\u001b[31m',
      '\u009d',
      '\u009c',
      '\u001b',
    );
    const words = constantFrom(
      'a',
      'ab ',
      '\n',
      '\r\n',
      '\u{1f600}',
      '</system-reminder>',
      '\u200b',
      '[',
      '0;',
    );
    assert(
      property(
        array(constantFrom(escapes, words).chain((kind) => kind)),
        integer({ min: 1, max: 60 }),
        (parts, maxChars) => holds(parts.join(''), maxChars),
      ),
      { numRuns: 2000 },
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

describe('a review says what a model is shown', () => {
  async function review(
    instructions: unknown,
    options: AdoptOptions = {},
    all: Options = {},
  ): Promise<Review> {
    const host = await startHost(all);
    host.injector.adopt('docs', { getInstructions: () => instructions }, options);
    return await host.injector.review('docs');
  }
  const nothing = {
    admittedText: '',
    keptChars: 0,
    lostChars: 0,
    truncated: false,
    limit: null,
    hiddenFrom: null,
    tokens: 0,
  };

  test.each([
    ['user-only', { mode: 'user-only' }],
    ['off', false],
  ] as const)('nothing, where it is %s', async (mode, instructions) => {
    const text = 'For people. '.repeat(300);
    expect(await review(text, { instructions })).toMatchObject({
      ...nothing,
      mode,
      text,
      chars: 3600,
      textState: 'admitted',
    });
  });

  test('the host’s own text, and beside it what the server sent', async () => {
    const found = await review('Theirs.', { instructions: 'Ours.' });
    expect(found).toMatchObject({
      source: 'override', text: 'Ours.', admittedText: 'Ours.', chars: 5, keptChars: 5, state: undefined,
      replaced: { text: 'Theirs.', sha256: (await review('Theirs.')).sha256 },
    }); // prettier-ignore
    expect(found.sha256).toBe((await review('Ours.')).sha256);
    expect(await review(7, { instructions: 'Ours.' })).toMatchObject({
      replaced: { text: undefined, sha256: undefined },
    });
    expect(await review('Theirs.', { instructions: '' })).toMatchObject({
      ...nothing, textState: 'absent', replaced: { text: 'Theirs.' },
    }); // prettier-ignore
    expect((await review('Theirs.')).replaced).toBeUndefined();
  });

  test.each([
    [undefined, 'absent', undefined],
    ['', 'absent', ''],
    [7, 'invalid', undefined],
    [' \n\u200b', 'blank', ' \n\u200b'],
  ])('nothing of %j, which is %s', async (sent, textState, text) => {
    expect(await review(sent)).toMatchObject({ ...nothing, textState, text, state: undefined });
  });

  test('nothing of a text that is too long to be looked at, all of which is hidden', async () => {
    const long = 'x'.repeat(1_048_577);
    expect(await review(long)).toMatchObject({
      admittedText: '', textState: 'oversized', chars: 1_048_577, lostChars: 1_048_577, hiddenFrom: 0, state: undefined, sha256: undefined,
    }); // prettier-ignore
  });

  test.each([
    [{ maxChars: 100 }, 'maxChars'],
    [{ maxTotalChars: 100 }, 'maxTotalChars'],
    [{ maxTokens: 20 }, 'maxTokens'],
  ] as const)('the hidden part under %j', async (all, limit) => {
    const text = `${'word '.repeat(60)}\u001b]0;${'word '.repeat(60)}\u0007end`;
    const { hiddenFrom: from, keptChars, limit: by } = await review(text, {}, all);
    expect(by).toBe(limit);
    expect(from).toBe(keptChars);
  });

  test('what is blank is nothing to approve', async () => {
    const host = await startHost({ policy: 'pinned' });
    host.injector.adopt('docs', { instructions: ' \n' });
    const { sha256 } = await host.injector.review('docs');
    await expect(host.injector.approve('docs', sha256!)).rejects.toMatchObject({ code: 'STALE_APPROVAL' });
  });
});
