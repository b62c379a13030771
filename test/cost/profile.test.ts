import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { importEncoding } from '../../src/cost/encoding.js';
import { features, type Profile } from '../../src/cost/features.js';
import { O200k } from '../../src/cost/o200k.js';
import { runAtOnce } from '../../src/cost/pause.js';
import { profileInSteps } from '../../src/cost/profile.js';

const o200k = runAtOnce(O200k.build(await importEncoding()));

function profile(text: string): Profile {
  return runAtOnce(profileInSteps(o200k, text));
}

/** The features that a text has. */
function found(text: string): Record<string, number> {
  const { counts } = profile(text);
  return Object.fromEntries(
    features.flatMap((name, index) => (counts[index] === 0 ? [] : [[name, counts[index]!]])),
  );
}

describe('profile', () => {
  it.each<[string, string, Record<string, number>]>([
    ['frequent words', ' the of and', { words2k: 3 }],
    ['a rare word', ' declarations', { wordsRare: 1, lettersRare: 12 }],
    ['a word of several tokens', ' Xyzzyplugh', { wordsSplit: 1, lettersSplit: 10, capitalised: 1 }],
    ['capitals', ' HTTP', { wordsRare: 1, lettersRare: 4, capitals: 4 }],
    ['a sign before a word', '(the', { wordsRare: 1, lettersRare: 3, wordsGlued: 1 }],
    ['an accented word', ' été', { lettersAccented: 3 }],
    ['numbers', '2026', { numbers: 2 }],
    ['signs', '();\n', { symbolTokens: 1, symbolBreaks: 1 }],
    ['two signs', '->', { symbolTokens: 1, symbolPairs: 1 }],
    ['white space', '\n\n', { spaceTokens: 1 }],
    ['signs beyond ASCII', '→', { symbolTokens: 1, symbolsWide: 1 }],
    ['Japanese', '部品を使う', { lettersHan: 3, lettersKana: 2 }],
    ['a Latin word among ideographs', 'APIを使う', { words8k: 1, lettersHan: 1, lettersKana: 2 }],
    ['Korean', '먼저', { lettersHangul: 2 }],
    ['Russian', ' слово', { wordsCyrillic: 1, lettersCyrillic: 5 }],
    ['Arabic', ' كلمة', { wordsArabic: 1, lettersArabic: 4 }],
    ['Hindi', ' शब्द', { lettersDevanagari: 4 }],
    ['Greek', ' λέξη', { lettersGreek: 4 }],
    ['a script without its own feature', ' სიტყვა', { lettersOther: 6 }],
  ])('finds %s', (_name, text, expected) => {
    expect(found(text)).toEqual(expected);
  });

  it('has the exact tokens and bytes of any text', () => {
    const text = fc.string({ unit: 'binary', maxLength: 200 });
    fc.assert(
      fc.property(text, (value) => {
        const { tokens, bytes, oddTokens, oddBytes } = profile(value);
        expect(tokens).toBe(o200k.count(value));
        expect(bytes).toBe(new TextEncoder().encode(value).length);
        expect(oddTokens).toBeLessThanOrEqual(tokens);
        expect(oddBytes).toBeLessThanOrEqual(bytes);
      }),
    );
  });

  it.each([
    ['one letter', 'a'.repeat(2_048)],
    ['spaces', ' '.repeat(2_048)],
    ['emoji', '😀'.repeat(500)],
    ['zero-width spaces', '\u200b'.repeat(500)],
    ['one ideograph', '漢'.repeat(500)],
    [
      'ideographs at random',
      Array.from({ length: 500 }, (_, i) => String.fromCharCode(0x4e00 + ((i * 7_919) % 20_000))).join(''),
    ],
  ])('calls a run of %s odd', (_name, text) => {
    expect(profile(text).oddBytes).toBe(profile(text).bytes);
  });

  it.each([
    'Use lookup_part when the user names a part number; then list_bins(part, { all: true }).\n\n## Limits\n- 5 calls',
    '部品番号が分かるときは必ずこの道具を使ってください。在庫の数はすぐに変わります。',
    'ใช้เครื่องมือนี้ก่อนตอบคำถามของผู้ใช้เสมอและอย่าเดาราคาสินค้าเอง',
    '| a | b |\n|---|---|\n| → | ✅ |\n',
  ])('calls nothing in plain text odd: %s', (text) => {
    expect(profile(text).oddBytes).toBe(0);
  });
});
