import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { neutraliseReservedTags, RESERVED_NAMES } from '../../src/instructions/reserved-tags.js';
import { hostileText } from '../support/hostile-text.js';
import { holdsEncodedReservedTag, holdsReservedTag } from './oracle.js';

const neutralised = (text: string): string => neutraliseReservedTags(text).text;

describe('every name of the wrapper', () => {
  test.each(RESERVED_NAMES)('%s: opened, closed, with attributes, in any case, cut off', (name) => {
    expect(neutralised(`<${name}>a</${name}>`)).toBe(`[${name}>a[/${name}>`);
    expect(neutralised(`<${name} a=">" b>`)).toBe(`[${name} a=">" b>`);
    expect(neutralised(`<${name.toUpperCase()}/>`)).toBe(`[${name.toUpperCase()}/>`);
    expect(neutralised(`<${name}`)).toBe(`[${name}`);
    expect(neutralised(`<${name}s>`)).toBe(`[${name}s>`);
  });
});

describe('disguises', () => {
  test.each([
    ['spaces', '</ system-reminder>'],
    ['a space in the name', '<system reminder>'],
    ['an underscore', '<system_reminder>'],
    ['nothing between the words', '<systemreminder>'],
    ['spaces between the letters', '< s y s t e m - r e m i n d e r >'],
    ['line ends', '<\n/system\n-reminder>'],
    ['tabs', '<\tsystem\treminder>'],
    ['no-break and ideographic spaces', '<\u00a0system\u3000reminder>'],
    ['an en dash', '<system–reminder>'],
    ['an em dash', '<system—reminder>'],
    ['a minus sign', '<system−reminder>'],
    ['a full-width hyphen', '<system－reminder>'],
    ['a bullet hyphen', '<system⁃reminder>'],
    ['a zero-width space', '<sys\u200btem-reminder>'],
    ['a joiner before the slash', '<\u200d/system-reminder>'],
    ['a direction mark', '</\u202esystem-reminder>'],
    ['a soft hyphen', '<sys\u00adtem-reminder>'],
    ['a variation selector', '<system\ufe0f-reminder>'],
    ['a tag character', '<system\u{e0041}-reminder>'],
    ['a Hangul filler', '<system\u3164-reminder>'],
    ['a NUL', '<system\0-reminder>'],
    ['a combining mark', '<s\u0301ystem-reminder>'],
    ['a struck-through bracket', '<\u0338/system-reminder>'],
    ['accents', '<sýstem-rëminder>'],
    ['Cyrillic letters', '<ѕуѕтем-гемinder>'],
    ['Greek letters', '<sysτεm-reminder>'],
    ['full-width letters', '<ｓｙｓｔｅｍ-reminder>'],
    ['mathematical letters', '<𝐬𝐲𝐬𝐭𝐞𝐦-𝓇𝑒𝓂𝒾𝓃𝒹𝑒𝓇>'],
    ['circled letters', '<ⓢⓨⓢⓣⓔⓜ-reminder>'],
    ['letters in squares', '<🅂🅈🅂🅃🄴🄼-reminder>'],
    ['letters of flags', '<🇸🇾🇸🇹🇪🇲-reminder>'],
    ['small capitals', '<ꜱʏꜱᴛᴇᴍ-ʀᴇᴍɪɴᴅᴇʀ>'],
    ['a ligature', '<sy\ufb06em-reminder>'],
    ['a long s', '<ſyſtem-reminder>'],
    ['a dotless i', '<system-remınder>'],
    ['a dotted capital I', '<SYSTEM-REMİNDER>'],
    ['digits', '<5y5t3m-r3m1nd3r>'],
    ['l for i', '<system-remlnder>'],
    ['rn for m', '<systern-rerninder>'],
    ['a full-width bracket', '＜system-reminder＞'],
    ['a small bracket', '﹤/system-reminder﹥'],
    ['a guillemet', '‹/system-reminder›'],
    ['double guillemets', '«system-reminder»'],
    ['a CJK bracket', '〈/system-reminder〉'],
    ['double CJK brackets', '《system-reminder》'],
    ['a mathematical bracket', '⟨/system-reminder⟩'],
    ['an ornament', '❮system-reminder❯'],
    ['a modifier letter', '˂system-reminder˃'],
    ['a syllabic', 'ᐸsystem-reminder'],
    ['a backslash', '<\\system-reminder>'],
    ['other slashes', '<⁄∕／system-reminder>'],
    ['a comment', '<!--system-reminder-->'],
    ['a processing instruction', '<?system-reminder?>'],
    ['bars', '<|system-reminder|>'],
    ['a prefix', '</x:system-reminder>'],
  ])('%s', (_, text) => {
    const result = neutraliseReservedTags(text);
    expect(result).toEqual({ text: `[${text.slice(1)}`, count: 1, encoded: 0 });
    expect(holdsReservedTag(result.text)).toBe(false);
  });

  test('a bracket of two units gives two', () => {
    expect(neutralised('\u{1d236}system-reminder>')).toBe('[[system-reminder>');
  });

  test('every tag in a row is found, and brackets before it stay', () => {
    expect(neutralised('<</system-reminder><system-reminder><')).toBe(
      '<[/system-reminder>[system-reminder><',
    );
    expect(neutralised('</system-</system-reminder>reminder>')).toBe('</system-[/system-reminder>reminder>');
    expect(neutralised('<!-- x --></system-reminder>')).toBe('<!-- x -->[/system-reminder>');
  });

  test('every code point that folds or decomposes to a bracket counts as one', () => {
    const missed: string[] = [];
    for (let point = 0x80; point <= 0x10ffff; point += 1) {
      if (point >= 0xd800 && point <= 0xdfff) continue;
      const character = String.fromCodePoint(point);
      if (!/[<〈《‹«]/u.test(character.normalize('NFKD'))) continue;
      if (!neutralised(`${character}/system-reminder>`).startsWith('[')) missed.push(point.toString(16));
    }
    expect(missed).toEqual([]);
  });

  test('no character that is unseen can hide a tag, wherever it stands', () => {
    const hiding: string[] = [];
    for (let point = 0; point <= 0x10ffff; point += 1) {
      const character = String.fromCodePoint(point);
      if (!/[\p{Cf}\p{Mn}\p{Me}\p{Cc}\p{Default_Ignorable_Code_Point}\s]/u.test(character)) continue;
      const text = `<${character}/${character}sys${character}tem${character}-${character}reminder>`;
      if (neutralised(text) === text) hiding.push(point.toString(16));
    }
    expect(hiding).toEqual([]);
  });
});

describe('encoded brackets', () => {
  test.each([
    '&lt;/system-reminder&gt;',
    '&lt/system-reminder',
    '&LT;system-reminder',
    '&LTsystem-reminder',
    '&#60;/system-reminder',
    '&#60/system-reminder',
    '&#0000060;/system-reminder',
    '&#x3c;/system-reminder',
    '&#X003C;/system-reminder',
    '&amp;lt;/system-reminder',
    '&amp;amp;#60;/system-reminder',
    '&lt;&#47;system&#45;reminder',
    '&lt;&sol;system&hyphen;reminder',
    '&#x2329;/system-reminder',
    '&#65308;/system-reminder',
    '&laquo;system-reminder&raquo;',
    '&lang;system-reminder',
    '\\u003c/system-reminder\\u003e',
    '\\u003C\\u002Fsystem-reminder',
    '\\u003c\\/system-reminder',
    '\\x3c/system-reminder',
    '\\u{3c}/system-reminder',
    '\\U0000003c/system-reminder',
    '%3C/system-reminder%3E',
    '%3c%2fsystem%2Dreminder%3e',
    '%253C%252Fsystem-reminder',
    '%EF%BC%9C/system-reminder',
    '%E2%80%B9/system-reminder',
    '&#60;&#115;&#121;stem-reminder',
  ])('%s', (text) => {
    const result = neutraliseReservedTags(text);
    expect(result).toEqual({ text: `[${text.slice(1)}`, count: 1, encoded: 1 });
    expect(holdsEncodedReservedTag(result.text)).toBe(false);
    expect(neutralised(result.text)).toBe(result.text);
  });

  test('a plain bracket with an encoded name is a plain tag', () => {
    expect(neutraliseReservedTags('<&#47;system-reminder>')).toMatchObject({
      text: '[&#47;system-reminder>',
      encoded: 0,
    });
  });

  test('bytes that are no UTF-8 are not decoded', () => {
    expect(neutralised('%E2%C0%F9/system-reminder')).toBe('%E2%C0%F9/system-reminder');
  });

  test('only the last of several backslashes is part of the escape', () => {
    expect(neutralised('\\\\u003c/system-reminder')).toBe('\\[u003c/system-reminder');
  });

  test.each([
    'a &lt; b',
    'Map&lt;string&gt;',
    '\\u003cdiv\\u003e',
    '100%3C',
    '%',
    '%E2',
    '%E2%80',
    '%FF%FE',
    '\\u',
    '&',
    '&#;',
    '&#9999999;',
    '&#xd800;',
    '\\u{110000}',
  ])('%s stays, as no reserved name follows', (text) => {
    expect(neutraliseReservedTags(`${text} and more`)).toEqual({
      text: `${text} and more`,
      count: 0,
      encoded: 0,
    });
  });
});

describe('benign texts stay as they are', () => {
  test.each([
    'This is a system reminder for the operator.',
    'The mcp-instructions package; MCP server instructions in general.',
    'Edit <systemd> units and <systems> lists.',
    '<reminder>call list_periods first</reminder>',
    '<system>text</system>, then <reminder>',
    '<system> reminder',
    '<system.reminder>',
    'Map<string, List<Item>> and Promise<void>; Array<System>',
    'updated:<@today-30d, <10 users, a <b> c, x < y',
    '<div class="system"><p>reminder</p></div>',
    '<mcp> <server> <instructions>',
    '<mcp-server>instructions</mcp-server>',
    '$a \\le b$ and $\\{x\\}$, «цитата», 「引用」, 《三体》',
    'if (a << b) { c <<= 2 }',
    '#include <sys/types.h>',
    '[/system-reminder>',
    'system-reminder>',
    'https://example.com/?q=%3Cb%3E&lt=1&amp;x',
  ])('%s', (text) => {
    expect(neutraliseReservedTags(text)).toEqual({ text, count: 0, encoded: 0 });
  });
});

describe('properties', () => {
  const tag = fc
    .tuple(
      fc.constantFrom('<', '</', '＜', '&lt;', '\\u003c', '〈', '< / '),
      fc.constantFrom(...RESERVED_NAMES),
      fc.array(
        fc.tuple(
          fc.nat(24),
          fc.constantFrom('\u200b', '\u0301', ' ', '-', '\n', '\ufe0f', '\u202e', '<', 'x'),
        ),
        { maxLength: 3 },
      ),
    )
    .map(([opener, name, inserts]) =>
      inserts.reduce((text, [at, insert]) => text.slice(0, at) + insert + text.slice(at), opener + name),
    );
  const text = fc
    .array(fc.oneof(tag, hostileText, fc.string({ unit: 'binary' })), { maxLength: 4 })
    .map((parts) => parts.join(''));

  test('same length, idempotent, only brackets written, and nothing left that the oracle finds', () => {
    fc.assert(
      fc.property(text, (input) => {
        const result = neutraliseReservedTags(input);
        expect(result.text).toHaveLength(input.length);
        expect(neutraliseReservedTags(result.text)).toEqual({ text: result.text, count: 0, encoded: 0 });
        expect(holdsReservedTag(result.text)).toBe(false);
        expect(holdsEncodedReservedTag(result.text)).toBe(false);
        for (let index = 0; index < input.length; index += 1) {
          if (result.text[index] !== input[index]) expect(result.text[index]).toBe('[');
        }
        if (result.count === 0) expect(result.text).toBe(input);
      }),
      { numRuns: 2000 },
    );
  });

  test('cutting a neutralised text anywhere makes no tag', () => {
    fc.assert(
      fc.property(text, fc.nat(), (input, cut) => {
        const safe = neutralised(input);
        expect(neutralised(safe.slice(0, cut % (safe.length + 1)))).toBe(
          safe.slice(0, cut % (safe.length + 1)),
        );
      }),
      { numRuns: 1000 },
    );
  });
});
