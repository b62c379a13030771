/** What a character counts as, where it matters for the number of tokens. */
export const kinds = {
  lower: 0,
  upper: 1,
  digit: 2,
  space: 3,
  symbol: 4,
  latin: 5,
  mark: 6,
  greek: 7,
  cyrillic: 8,
  hebrew: 9,
  arabic: 10,
  devanagari: 11,
  bengali: 12,
  tamil: 13,
  thai: 14,
  han: 15,
  kana: 16,
  hangul: 17,
  other: 18,
} as const;

/** One of {@link kinds}: up to `upper` an ASCII letter, up to `symbol` no letter, from `latin` on a letter or its mark. */
export type Kind = (typeof kinds)[keyof typeof kinds];

const {
  symbol,
  latin,
  mark,
  greek,
  cyrillic,
  hebrew,
  arabic,
  devanagari,
  bengali,
  tamil,
  thai,
  han,
  kana,
  hangul,
  other,
} = kinds;

/** Where a new kind starts above ASCII. Blocks, not exact properties: a stray sign within a block changes no figure much. */
const ranges: readonly (readonly [start: number, kind: Kind])[] = [
  [0x80, symbol],
  [0xc0, latin],
  [0xd7, symbol],
  [0xd8, latin],
  [0xf7, symbol],
  [0xf8, latin],
  [0x250, other],
  [0x300, mark],
  [0x370, greek],
  [0x400, cyrillic],
  [0x530, other],
  [0x590, hebrew],
  [0x600, arabic],
  [0x700, other],
  [0x750, arabic],
  [0x780, other],
  [0x900, devanagari],
  [0x980, bengali],
  [0xa00, other],
  [0xb80, tamil],
  [0xc00, other],
  [0xe00, thai],
  [0xe80, other],
  [0x1100, hangul],
  [0x1200, other],
  [0x1e00, latin],
  [0x1f00, greek],
  [0x2000, symbol],
  [0x2c00, other],
  [0x2e00, symbol],
  [0x2e80, han],
  [0x2fe0, symbol],
  [0x3005, han],
  [0x3008, symbol],
  [0x3040, kana],
  [0x3100, other],
  [0x3130, hangul],
  [0x3190, symbol],
  [0x31f0, kana],
  [0x3200, symbol],
  [0x3400, han],
  [0x4dc0, symbol],
  [0x4e00, han],
  [0xa000, other],
  [0xa960, hangul],
  [0xa980, other],
  [0xac00, hangul],
  [0xd800, symbol],
  [0xf900, han],
  [0xfb00, latin],
  [0xfb13, other],
  [0xfb1d, hebrew],
  [0xfb50, arabic],
  [0xfe00, symbol],
  [0xfe70, arabic],
  [0xfeff, symbol],
  [0xff21, other],
  [0xff5b, symbol],
  [0xff66, kana],
  [0xffa0, hangul],
  [0xffe0, symbol],
  [0x10000, other],
  [0x1f000, symbol],
  [0x20000, han],
  [0xe0000, symbol],
];

/**
 * Tells what a character counts as.
 *
 * @param codePoint a Unicode code point, a lone surrogate included
 */
export function kindOf(codePoint: number): Kind {
  if (codePoint < 0x80) return asciiKind(codePoint);
  let low = 0;
  let high = ranges.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (ranges[middle]![0] <= codePoint) low = middle;
    else high = middle;
  }
  return ranges[low]![1];
}

function asciiKind(code: number): Kind {
  if (code >= 0x61 && code <= 0x7a) return kinds.lower;
  if (code >= 0x41 && code <= 0x5a) return kinds.upper;
  if (code >= 0x30 && code <= 0x39) return kinds.digit;
  if (code === 0x20 || (code >= 0x09 && code <= 0x0d)) return kinds.space;
  return kinds.symbol;
}
