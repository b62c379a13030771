import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { admit } from '../../src/instructions/admit.js';
import { limitBlankLines } from '../../src/instructions/blank-lines.js';
import { clean } from '../../src/instructions/clean.js';
import { limitCombiningMarks } from '../../src/instructions/combining-marks.js';
import { normaliseLineEnds } from '../../src/instructions/line-ends.js';
import { neutraliseReservedTags } from '../../src/instructions/reserved-tags.js';
import { benignTexts } from '../support/benign-texts.js';
import { hostileText } from '../support/hostile-text.js';

describe('honest texts come out as they went in', () => {
  test.each(Object.entries(benignTexts))('%s', (_, text) => {
    expect(clean(text)).toEqual({ text, counts: {} });
    expect(neutraliseReservedTags(text)).toEqual({ text, count: 0, encoded: 0 });
    expect(admit(text)).toMatchObject({
      state: 'admitted',
      text,
      keptChars: text.length,
      lostChars: 0,
      flags: [],
    });
  });
});

describe('what is removed', () => {
  test.each([
    ['colours', 'a\x1b[31;1mb\x1b[0m', 'ab', { 'ansi-escape': 2 }],
    ['eight-bit CSI', 'a\x9b8mb', 'ab', { 'ansi-escape': 1 }],
    ['a title', '\x1b]0;title\x07a', 'a', { 'ansi-escape': 1 }],
    ['a link', '\x1b]8;;https://example.com\x1b\\a\x1b]8;;\x1b\\', 'a', { 'ansi-escape': 2 }],
    ['a device string', '\x1bPq#0\x1b\\a', 'a', { 'ansi-escape': 1 }],
    ['a character set', '\x1b(Ba', 'a', { 'ansi-escape': 1 }],
    ['only ESC of an open string', 'a\x1b]0;b\nc', 'a]0;b\nc', { 'control-characters': 1 }],
    ['only ESC before a word', '\x1bword', 'word', { 'control-characters': 1 }],
    ['sequences in one another', '\x1b[\x1b[31m8m', '[8m', { 'ansi-escape': 1, 'control-characters': 1 }],
    ['controls but tab and newline', '\0a\t\n\x08\x7f\x80b', 'a\t\nb', { 'control-characters': 4 }],
    ['direction marks', '\u202ea\u2066b\u2069\u200e\u200f\u061c', 'ab', { 'bidi-controls': 6 }],
    ['hidden tags', 'a\u{e0001}\u{e0041}\u{e007f}', 'a', { 'tag-characters': 3 }],
    ['a flag no one has', '🏴\u{e0061}\u{e0062}\u{e007f}', '🏴', { 'tag-characters': 3 }],
    ['half a flag', '🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}', '🏴', { 'tag-characters': 4 }],
    [
      'what follows a flag',
      '🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}\u{e0041}',
      '🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}',
      { 'tag-characters': 1 },
    ],
    ['private use on all planes', 'a\ue000\uf8ff\u{f0000}\u{10fffd}', 'a', { 'private-use': 4 }],
    [
      'zero-width characters',
      'a\u200bb\u2060c\ufeffd\u00ade\u034ff',
      'abcdef',
      { 'invisible-characters': 5 },
    ],
    ['joiners between Latin letters', 'a\u200cb\u200dc', 'abc', { 'invisible-characters': 2 }],
    ['blank letters', 'a\u3164\uffa0\u115f\u1160\u17b4b', 'ab', { 'invisible-characters': 5 }],
    ['the blank of Braille among letters', 'a\u2800b', 'ab', { 'invisible-characters': 1 }],
    ['noncharacters', 'a\ufdd0\uffff\u{1fffe}b', 'ab', { 'invisible-characters': 3 }],
    [
      'invisible operators, annotations, musical controls',
      'a\u2063\ufff9\u{1d173}\u{1bca0}b',
      'ab',
      { 'invisible-characters': 4 },
    ],
    ['selectors on letters', 'a\ufe0fb\ufe00\u{e0100}', 'ab', { 'variation-selectors': 3 }],
    ['a second selector on an emoji', '✔\ufe0f\ufe0f', '✔\ufe0f', { 'variation-selectors': 1 }],
    ['a selector on a digit that is no key', '1\ufe0f2', '12', { 'variation-selectors': 1 }],
    ['ideographic selectors', '葛\u{e0100}', '葛', { 'variation-selectors': 1 }],
    ['bytes hidden on an emoji', '😀\u{e0148}\u{e0155}\ufe00', '😀', { 'variation-selectors': 3 }],
    ['a second joiner', 'می\u200c\u200cخ', 'می\u200cخ', { 'invisible-characters': 1 }],
    ['a joiner after the last emoji', '👩\u200d', '👩', { 'invisible-characters': 1 }],
    ['a joiner between emoji and text', '👩\u200da', '👩a', { 'invisible-characters': 1 }],
    ['a zero-width space between brackets', '〉\u200b〈', '〉〈', { 'invisible-characters': 1 }],
    ['a zero-width space in emoji', '👩\u200b👩', '👩👩', { 'invisible-characters': 1 }],
  ])('%s', (_, text, expected, counts) => {
    expect(clean(text)).toEqual({ text: expected, counts });
    expect(clean(expected)).toEqual({ text: expected, counts: {} });
  });

  test('removing can form a tag, which is why tags are looked for afterwards', () => {
    expect(admit('<sys\u200btem-reminder>').text).toBe('[system-reminder>');
    expect(admit('<\x1b[31msystem-reminder>').text).toBe('[system-reminder>');
  });
});

describe('line ends', () => {
  test.each([
    ['a\r\nb\rc\nd', 'a\nb\nc\nd'],
    ['\r\r\n\n\r', '\n\n\n\n'],
    ['a\u2028b\u2029c\u0085d\ve\ff', 'a\nb\nc\nd\ne\nf'],
    ['none', 'none'],
  ])('%j', (text, expected) => {
    expect(normaliseLineEnds(text)).toBe(expected);
  });
});

describe('combining marks', () => {
  test.each([
    ['eight stay', `e${'\u0301'.repeat(8)}x`, `e${'\u0301'.repeat(8)}x`, 0],
    ['the ninth goes', `e${'\u0301'.repeat(9)}x`, `e${'\u0301'.repeat(8)}x`, 1],
    ['floods go', `e${'\u0301'.repeat(5000)}`, `e${'\u0301'.repeat(8)}`, 4992],
    [
      'every base has its own',
      `e${'\u0301'.repeat(8)}e${'\u0301'.repeat(10)}`,
      `e${'\u0301'.repeat(8)}e${'\u0301'.repeat(8)}`,
      2,
    ],
    ['joiners do not hide them', `क${'\u094d\u200d'.repeat(20)}`, `क${'\u094d\u200d'.repeat(7)}\u094d`, 25],
  ])('%s', (_, text, expected, count) => {
    expect(limitCombiningMarks(text)).toEqual({ text: expected, count });
    expect(limitCombiningMarks(expected)).toEqual({ text: expected, count: 0 });
  });
});

describe('blank lines', () => {
  test.each([
    ['four stay', 'a\n\n\n\n\nb', 'a\n\n\n\n\nb', 0],
    ['five become four', 'a\n\n\n\n\n\nb', 'a\n\n\n\n\nb', 1],
    ['lines of spaces count', `a${'\n \t\u00a0'.repeat(40)}\n  b`, 'a\n\n\n\n\n  b', 1],
    ['indentation alone does not', `a\n${' '.repeat(40)}b`, `a\n${' '.repeat(40)}b`, 0],
  ])('%s', (_, text, expected, count) => {
    expect(limitBlankLines(text)).toEqual({ text: expected, count });
    expect(limitBlankLines(expected)).toEqual({ text: expected, count: 0 });
  });
});

describe('every pass by itself', () => {
  const odd =
    '\u200b|\u200c|\u200d|\ufe0f|\ufe00|\u2800|\u180e|\u0301|\x1b[|\x1b|\x07|\x9b|]|8m|\u{e0067}|\u{e0100}|🏴|\r|\n| \n|\u2028|👩|♂|1|\u20e3|م|क|\u094d|ก|ᠮ';
  const piece = fc.constantFrom(
    ...Object.values(benignTexts).flatMap((text) => text.match(/\S{1,6}/gu) ?? []),
    ...odd.split('|'),
  );
  const text = fc.oneof(
    fc.array(piece, { maxLength: 25 }).map((pieces) => pieces.join('')),
    fc.string({ unit: 'binary' }),
    hostileText,
  );
  const passes: Readonly<Record<string, (text: string) => string>> = {
    'line ends': normaliseLineEnds,
    cleaning: (input) => clean(input).text,
    'combining marks': (input) => limitCombiningMarks(clean(input).text).text,
    'blank lines': (input) => limitBlankLines(input).text,
    neutralising: (input) => neutraliseReservedTags(input).text,
    'cleaning, then neutralising': (input) => neutraliseReservedTags(clean(input).text).text,
  };

  test.each(Object.entries(passes))('%s: once is enough, and never longer', (_, pass) => {
    fc.assert(
      fc.property(text, (raw) => {
        const input = raw.toWellFormed();
        const once = pass(input);
        expect(pass(once)).toBe(once);
        expect(once.length).toBeLessThanOrEqual(input.length);
        expect(once.isWellFormed()).toBe(true);
      }),
      { numRuns: 1500 },
    );
  });
});
