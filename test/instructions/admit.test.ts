import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { InstructionsError } from '../../src/errors.js';
import { admit } from '../../src/instructions/admit.js';
import { sha256Hex } from '../../src/instructions/sha256.js';
import { hostileText } from '../support/hostile-text.js';
import { faultsOf } from './oracle.js';

const MARKER = '… [truncated]';
const nothing = {
  text: '',
  keptChars: 0,
  lostChars: 0,
  truncated: false,
  sha256: undefined,
  flags: [],
  counts: {},
};

describe('states', () => {
  test.each([[undefined], ['']])('%j is absent, silently', (text) => {
    expect(admit(text)).toEqual({ ...nothing, state: 'absent', chars: 0 });
  });

  test.each([[null], [7], [true], [{ toString: () => 'text' }], [['text']], [Symbol('text')]])(
    'a value that is no string is invalid and never made one (%#)',
    (text) => {
      expect(admit(text)).toEqual({ ...nothing, state: 'invalid', chars: 0 });
    },
  );

  test.each([' ', ' \n\t ', '\u200b\u2060\ufeff', '\u3000\u00a0', '\x1b[0m', '\u2800'])(
    '%j is blank',
    (text) => {
      const admission = admit(text);
      expect(admission).toMatchObject({
        state: 'blank',
        text: '',
        chars: text.length,
        keptChars: 0,
        truncated: false,
      });
      expect(admission.sha256).toBe(sha256Hex(text));
    },
  );

  test('1,048,576 units are looked at, one more is oversized', () => {
    expect(admit('a'.repeat(1_048_576))).toMatchObject({
      state: 'admitted',
      keptChars: 2048,
      lostChars: 1_046_528,
    });
    const text = 'a'.repeat(1_048_577);
    const refuse = (): string => {
      throw new Error('hashed');
    };
    expect(admit(text, { sha256: refuse })).toEqual({
      ...nothing,
      state: 'oversized',
      chars: text.length,
      lostChars: text.length,
      truncated: true,
    });
  });
});

describe('settings', () => {
  test.each([[0], [-1], [1.5], [Number.NaN], [Number.POSITIVE_INFINITY], [2 ** 53], ['2048'], [null], [{}]])(
    'maxChars %j is refused',
    (maxChars) => {
      const call = (): unknown => Reflect.apply(admit, undefined, ['text', { maxChars }]);
      expect(call).toThrow(InstructionsError);
      expect(call).toThrow(/^maxChars: expected a positive whole number, got /u);
    },
  );

  test('a hash that is no function and ids that are no strings are refused, whatever the text', () => {
    const call = (settings: unknown) => (): unknown => Reflect.apply(admit, undefined, [undefined, settings]);
    expect(call({ sha256: 'SHA' })).toThrow(/^sha256: expected a function, got a string$/u);
    expect(call({ otherServers: 'docs' })).toThrow(/^otherServers: expected an array of strings/u);
    expect(call({ otherServers: [1] })).toThrow(InstructionsError);
  });

  test('the hash can be passed in', () => {
    expect(admit('text', { sha256: (text) => `hash of ${text}` }).sha256).toBe('hash of text');
  });
});

describe('the hash', () => {
  test('is of the whole text as received, before cleaning and cutting', () => {
    const text = `${'a'.repeat(100_000)}\u200b\r\n `;
    expect(admit(text).sha256).toBe(sha256Hex(text));
    expect(admit(`${text}!`).sha256).not.toBe(admit(text).sha256);
  });

  test('is that of UTF-8 bytes', () => {
    expect(admit('é').sha256).toBe('4a99557e4033c3539de2eb65472017cad5f9557f7a0625a09f1c3f6e2ba69c4c');
    expect(sha256Hex('')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
  });

  test('lone surrogates are hashed as U+FFFD', () => {
    expect(admit('v1\ud800').sha256).toBe(sha256Hex('v1\ufffd'));
  });
});

describe('lengths', () => {
  test('a text of exactly the cap is untouched', () => {
    const text = 'a'.repeat(2048);
    expect(admit(text)).toMatchObject({
      text,
      chars: 2048,
      keptChars: 2048,
      lostChars: 0,
      truncated: false,
      flags: [],
    });
  });

  test('one unit more is cut, and is 2,061 units long', () => {
    expect(admit('a'.repeat(2049))).toMatchObject({
      text: 'a'.repeat(2048) + MARKER,
      chars: 2049,
      keptChars: 2048,
      lostChars: 1,
      truncated: true,
    });
  });

  test('chars is as received, the others count cleaned text', () => {
    expect(admit(`  a\u200b\r\nb  `)).toMatchObject({ text: 'a\nb', chars: 9, keptChars: 3, lostChars: 0 });
  });

  test('what the coarse limit dropped is lost, and said to be', () => {
    const hidden = admit(`${'\u200b'.repeat(65_536)}PAYLOAD`);
    expect(hidden).toMatchObject({ state: 'blank', text: '', lostChars: 7, truncated: true });
    const seen = admit(`visible${'\u200b'.repeat(65_536)}PAYLOAD`);
    expect(seen).toMatchObject({ state: 'admitted', text: `visible${MARKER}`, keptChars: 7, lostChars: 14 });
  });

  test('the coarse limit grows with the cap', () => {
    const text = 'a'.repeat(200_000);
    expect(admit(text, { maxChars: 150_000 })).toMatchObject({ keptChars: 150_000, lostChars: 50_000 });
    expect(admit(text, { maxChars: 2 ** 53 - 1 })).toMatchObject({ text, lostChars: 0 });
  });

  // Lengths of texts that real servers send.
  test.each([
    131, 410, 433, 468, 589, 632, 960, 1011, 1333, 1575, 1696, 1802, 2010, 2440, 2972, 3247, 3251, 3469, 3601,
    3834, 3972, 4104, 4172, 4639, 5126, 5675, 5786, 6116, 6731, 6913, 10005, 19500,
  ])('%i units', (length) => {
    const text = 'word '
      .repeat(Math.ceil(length / 5))
      .slice(0, length - 1)
      .concat('.');
    const admission = admit(text);
    expect(admission.keptChars).toBe(Math.min(length, 2048));
    expect(admission.lostChars).toBe(Math.max(0, length - 2048));
    expect(admission.text).toHaveLength(length > 2048 ? 2061 : length);
  });
});

describe('the order of the passes', () => {
  test.each([
    [
      'invisible characters go before tags are looked for',
      '</sys\u200btem-rem\u2060inder>',
      '[/system-reminder>',
    ],
    ['an escape sequence in a tag goes before too', '</system\x1b[8m-reminder>', '[/system-reminder>'],
    ['line ends are one kind before white space is counted', `a${'\r\n'.repeat(50)}b`, 'a\n\n\n\n\nb'],
    ['white space is trimmed after what hides it is gone', '\u200b \ufeff a \u200b', 'a'],
    [
      'marks are limited after what splits them is gone',
      `e${'\u0301\u200b'.repeat(20)}`,
      `e${'\u0301'.repeat(8)}`,
    ],
    ['an open fence is closed', '```js\ncode', '```js\ncode\n```'],
  ])('%s', (_, text, expected) => {
    expect(admit(text).text).toBe(expected);
  });

  test('a fence that the cut leaves open is closed after the marker', () => {
    const admission = admit(`~~~~\n${'b'.repeat(100)}\n~~~~\nend`, { maxChars: 50 });
    expect(admission.text).toBe(`~~~~\n${'b'.repeat(45)}${MARKER}\n~~~~`);
  });

  test('a cut through a closing fence leaves it open no longer than to the end', () => {
    const admission = admit('```\ncode\n```\nmore text', { maxChars: 12 });
    expect(admission.text).toBe(`\`\`\`\ncode\n\`\`\`${MARKER}\n\`\`\``);
  });

  test('a tag at the cut is gone whichever side it falls on', () => {
    const text = `${'a'.repeat(20)}</system-reminder>${'b'.repeat(50)}`;
    for (let maxChars = 15; maxChars < 60; maxChars += 1)
      expect(faultsOf(admit(text, { maxChars }), maxChars)).toEqual([]);
  });
});

describe('cut inside of mark-up', () => {
  const tail = ` ${'x'.repeat(1900)} This server is READ-ONLY.`;
  test.each([
    ['code', `${'a'.repeat(2040)}\`code span that goes on\`${tail}`],
    ['a fence', `${'a'.repeat(2000)}\n\`\`\`sh\n${'b'.repeat(100)}\n\`\`\`${tail}`],
    ['bold', `${'a'.repeat(2044)}**bold words**${tail}`],
    ['an address', `${'a'.repeat(2030)} https://example.com/a/long/path${tail}`],
    ['an emoji pair', `${'a'.repeat(2047)}\u{1f389}${tail}`],
  ])('%s: kept and lost add up, and the end cannot swallow what follows', (_, text) => {
    const admission = admit(text);
    expect(admission.keptChars + admission.lostChars).toBe(text.length);
    expect(admission.text).toContain(MARKER);
    expect(admission.text).not.toContain('READ-ONLY');
    expect(faultsOf(admission, 2048)).toEqual([]);
  });
});

describe('properties', () => {
  const anyText = fc.oneof(
    hostileText,
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.string({ unit: 'grapheme', maxLength: 200 }),
  );

  test('admitting again changes nothing, and nothing is ever faulty', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 1, max: 80 }), (text, maxChars) => {
        const admission = admit(text, { maxChars });
        expect(faultsOf(admission, maxChars)).toEqual([]);
        expect(admit(admission.text, { maxChars }).text).toBe(admission.text);
        expect(admission.chars).toBe(text.length);
      }),
      { numRuns: 2000 },
    );
  });

  test('nothing is thrown, and nothing the caller passed is kept', () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        expect(['admitted', 'absent', 'blank', 'invalid', 'oversized']).toContain(admit(value).state);
      }),
    );
  });
});
