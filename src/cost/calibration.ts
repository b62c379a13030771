import { columns, designRow } from './design-row.js';
import type { Profile } from './features.js';

/** The kinds of content that estimates are differently good for. */
export type Content =
  | 'english'
  | 'latin'
  | 'han'
  | 'kana'
  | 'hangul'
  | 'scripts'
  | 'rareScripts'
  | 'otherScripts';

/** How estimates are corrected for one model family; made by `bench/calibrate.mjs`. */
export interface Calibration {
  /** Family and month, such as `claude-5/2026-11`. */
  readonly name: string;
  /** Tokens for one of each of the `columns` of a profile; 0 when missing. */
  readonly weights: Readonly<Record<string, number>>;
  /** Half-width of the band for each kind of content, as a share of the estimate. */
  readonly widths: Readonly<Record<Content, number>>;
}

/** How good estimates were for texts that the fit had not seen: errors and half-widths of bands in percent. */
export interface HeldOutErrors {
  readonly n: number;
  readonly p50: number;
  readonly p90: number;
  readonly max: number;
  /** Texts whose true figure lies in the band. */
  readonly inBand: number;
  /** Median half-width. */
  readonly halfWidth: number;
  readonly maxHalfWidth: number;
}

/** A calibration with its record. */
export interface FittedCalibration extends Calibration {
  /** What it was fitted to. */
  readonly corpus: string;
  /** By kind of text; each text estimated by a fit without it. */
  readonly heldOut: Readonly<Record<string, HeldOutErrors>>;
}

/** A number of tokens, and between which numbers it should lie. */
export interface Estimate {
  /** Whole number, 0 or more. */
  readonly tokens: number;
  readonly low: number;
  readonly high: number;
}

/** No text was seen to need more tokens than this for each of its UTF-8 bytes. */
export const maxTokensPerByte = 2.5;
/** In odd runs other vocabularies were seen to need up to so many times the tokens of o200k. */
const maxOddRatio = 8;
const minOddRatio = 0.3;
/** What a border between two tokens may add or take. */
const borderTokens = 2;

/**
 * Estimates a text's tokens for a model family.
 *
 * @param calibration the family's
 * @param profile what the text is made of
 * @returns the estimate and its band, which is wider where the text is odd
 */
export function estimate(calibration: Calibration, profile: Profile): Estimate {
  const row = designRow(profile);
  let sum = 0;
  let width = 0;
  for (const [index, name] of columns.entries()) {
    const part = row[index]! * (calibration.weights[name] ?? 0);
    sum += part;
    width += part * calibration.widths[contentOf(name)];
  }
  if (profile.bytes === 0) return { tokens: 0, low: 0, high: 0 };
  const ceiling = Math.ceil(profile.bytes * maxTokensPerByte);
  const tokens = Math.min(ceiling, Math.max(1, Math.round(sum)));
  const plainShare = 1 - profile.oddTokens / profile.tokens;
  const oddHigh = Math.min(profile.oddTokens * maxOddRatio, profile.oddBytes * maxTokensPerByte);
  const low = plainShare * (sum - width) + minOddRatio * profile.oddTokens - borderTokens;
  const high =
    plainShare * (sum + width) + Math.max(oddHigh, (1 - plainShare) * (sum + width)) + borderTokens;
  return {
    tokens,
    low: Math.min(tokens, Math.max(1, Math.floor(low))),
    high: Math.max(tokens, Math.min(ceiling, Math.ceil(high))),
  };
}

const contents: ReadonlyMap<string, Content> = new Map<string, Content>([
  ['lettersHan', 'han'],
  ['lettersKana', 'kana'],
  ['lettersHangul', 'hangul'],
  ['wordsCyrillic', 'scripts'],
  ['lettersCyrillic', 'scripts'],
  ['wordsArabic', 'scripts'],
  ['lettersArabic', 'scripts'],
  ['lettersDevanagari', 'scripts'],
  ['lettersThai', 'scripts'],
  ['lettersGreek', 'rareScripts'],
  ['lettersHebrew', 'rareScripts'],
  ['lettersBengali', 'rareScripts'],
  ['lettersTamil', 'rareScripts'],
  ['lettersOther', 'otherScripts'],
]);

/**
 * The kind of content that a column of a profile counts.
 *
 * @param column one of `columns`
 */
export function contentOf(column: string): Content {
  return contents.get(column) ?? (column.endsWith(':foreign') ? 'latin' : 'english');
}
