import * as fc from 'fast-check';
import { Tiktoken } from 'js-tiktoken/lite';
import encoding from 'js-tiktoken/ranks/o200k_base';
import { describe, expect, it } from 'vitest';
import { importEncoding } from '../../src/cost/encoding.js';
import { O200k } from '../../src/cost/o200k.js';
import { runAtOnce } from '../../src/cost/pause.js';

const reference = new Tiktoken(encoding);
const o200k = runAtOnce(O200k.build(await importEncoding()));

function expected(text: string): number {
  return reference.encode(text, [], []).length;
}

describe('o200k', () => {
  it.each([
    ['nothing', ''],
    ['one letter', 'a'],
    ['English', 'Use lookup_part when the user names a part number, or asks about stock.'],
    ['contractions', "it's WE'RE they'Ll don't I'd 's"],
    ['a special token', 'before <|endoftext|> after'],
    ['all special tokens', '<|endoftext|><|endofprompt|> <|im_start|>'],
    ['a lone high surrogate', 'a\ud83d b'],
    ['a lone low surrogate', 'a\ude00\ud83d'],
    ['lone surrogates in a row', '\ud800'.repeat(50)],
    ['Japanese', '部品番号が分かるときは lookup_part を使ってください。在庫はすべて倉庫にあります。'],
    ['Chinese', '请先调用此工具,然后再回答用户的问题。'],
    ['Korean', '먼저 이 도구를 호출한 다음 질문에 답하세요.'],
    ['Arabic', 'استخدم هذه الأداة أولاً'],
    ['emoji', '😀👩‍👩‍👧🏳️‍🌈👍🏽1️⃣'],
    ['Hindi', 'पहले इस उपकरण का उपयोग करें'],
    ['spaces', 'a        b   \n\n   c\t\t \r\n x    '],
    ['only spaces', ' '.repeat(300)],
    ['numbers', '1234567890 3.14159 1,000,000'],
    ['a table', '| a | b |\n|---|---|\n| 1 | 2 |\n'],
    ['code', 'for (const x of [1, 2]) { console.log(`${x}`); }\n'],
    ['NUL and controls', 'a\u0000b\u001b[31m\u0007'],
    ['a long word', 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft'],
    ['astral ideographs', '𠀀𠀁𠀂𠮷野家'],
    ['combining marks', `e${'\u0301'.repeat(60)}`],
    ['tag characters', '\u{e0041}\u{e0042}'.repeat(20)],
    ['one letter, 2,048 times', 'a'.repeat(2_048)],
    ['one capital, 700 times', 'A'.repeat(700)],
  ])('counts %s like the reference', (_name, text) => {
    expect(o200k.count(text)).toBe(expected(text));
  });

  const piece = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 30 }),
    fc.string({ unit: 'binary', maxLength: 30 }),
    fc
      .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 30 })
      .map((units) => String.fromCharCode(...units)),
    fc.string({ unit: fc.constantFrom('a', 'e', 'i', 'n', 'o', 'r', 's', 't', 'l', 'c'), maxLength: 120 }),
    fc.string({ unit: fc.constantFrom('あ', 'の', '漢', '字', '部', '品', 'ー', '。'), maxLength: 60 }),
    fc.string({ unit: fc.constantFrom(' ', '\n', '\t', '\r', "'", 's', 'T', '/', '1'), maxLength: 40 }),
    fc
      .tuple(fc.constantFrom('a', ' ', '😀', '漢', '\u200b', '\ud800', '=', 'Z', '가'), fc.nat({ max: 150 }))
      .map(([unit, times]) => unit.repeat(times)),
  );

  it('counts any text like the reference', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 6 }), (pieces) => {
        const text = pieces.join('');
        expect(o200k.count(text)).toBe(expected(text));
      }),
      { numRuns: 1_500 },
    );
  });

  it('counts the same in slices, also when counts are interleaved', () => {
    const texts = ['word '.repeat(20_000), 'x'.repeat(50_000), '漢字'.repeat(15_000)];
    const runs = texts.map((text) => o200k.countInSteps(text));
    const results: (number | undefined)[] = texts.map(() => undefined);
    let yields = 0;
    while (results.includes(undefined)) {
      for (const [index, run] of runs.entries()) {
        if (results[index] !== undefined) continue;
        const step = run.next();
        if (step.done) results[index] = step.value;
        else yields++;
      }
    }
    expect(results).toEqual(texts.map((text) => o200k.count(text)));
    expect(yields).toBeGreaterThan(6);
  });

  it('tells the visitor pieces that cover the text and add up', () => {
    const text = `Use lookup_part first. 漢字 ${'q'.repeat(100)}\n😀`;
    const seen: { text: string; tokens: number; rank: number }[] = [];
    let reached = 0;
    const total = runAtOnce(
      o200k.countInSteps(text, (start, end, tokens, rank) => {
        expect(start).toBe(reached);
        reached = end;
        seen.push({ text: text.slice(start, end), tokens, rank });
      }),
    );
    expect(reached).toBe(text.length);
    expect(seen.reduce((sum, item) => sum + item.tokens, 0)).toBe(total);
    for (const item of seen) {
      const tokens = reference.encode(item.text, [], []);
      expect(item.rank).toBe(tokens.length === 1 ? tokens[0] : -1);
    }
  });

  it('counts runs that the pattern alone would fail on', () => {
    const run = '\u{e0041}'.repeat(5_000_000);
    expect(() => new RegExp(encoding.pat_str, 'uy').test(run)).toThrow(RangeError);
    expect(o200k.count(run)).toBe(4 * 5_000_000);
  });

  it('never cuts a surrogate pair between two parts', () => {
    const seam = `${'b '.repeat(2 ** 19 - 1)}b😀${' c'.repeat(10)}`;
    expect(seam.charCodeAt(2 ** 20 - 1)).toBe(0xd83d);
    expect(o200k.count(seam)).toBe(
      o200k.count('b '.repeat(2 ** 19 - 1) + 'b') + o200k.count(`😀${' c'.repeat(10)}`),
    );
  });
});
