/**
 * What a text is made of, as far as the number of tokens in another vocabulary depends on it. A word is a piece of letters
 * with the space or sign that the encoding's pattern puts in front of them.
 */
export const features = [
  // ASCII words that are one token, by its rank: frequent words have low ranks.
  'words2k',
  'words4k',
  'words8k',
  'words16k',
  'wordsRare',
  /** Letters of `wordsRare`. */
  'lettersRare',
  // Words of several tokens.
  'wordsSplit',
  'lettersSplit',
  /** Letters of words that are one token and not all ASCII. */
  'lettersAccented',
  'capitalised',
  /** Letters of words all in capitals. */
  'capitals',
  /** Words with a sign before them, as in `_name`. */
  'wordsGlued',
  /** Words with nothing before them, as in `camelCase`. */
  'wordsUnspaced',
  'lettersGreek',
  'wordsCyrillic',
  'lettersCyrillic',
  'lettersHebrew',
  'wordsArabic',
  'lettersArabic',
  'lettersDevanagari',
  'lettersBengali',
  'lettersTamil',
  'lettersThai',
  'lettersHan',
  'lettersKana',
  'lettersHangul',
  'lettersOther',
  'numbers',
  'spaceTokens',
  'symbolTokens',
  /** Runs of two signs. */
  'symbolPairs',
  /** Signs with a line end after them. */
  'symbolBreaks',
  /** Signs that are not ASCII. */
  'symbolsWide',
] as const;

/** The name of one feature; see {@link features}. */
export type Feature = (typeof features)[number];

/** What a text is made of. */
export interface Profile {
  /** Tokens of the o200k encoding. */
  readonly tokens: number;
  /** Length in UTF-8. */
  readonly bytes: number;
  /** How often each of {@link features} occurs, in their order. */
  readonly counts: Float64Array;
  /**
   * Tokens in runs that no plain text has (hundreds of one letter, emoji in a row, base64): other vocabularies may need
   * many more for them, or fewer.
   */
  readonly oddTokens: number;
  /** Bytes of those runs. */
  readonly oddBytes: number;
}
