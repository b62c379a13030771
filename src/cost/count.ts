/**
 * How a token figure was made, from the weakest to the strongest: `rough` (UTF-8 bytes / 3, before the rank table is
 * there), `estimated` (tokens of the o200k encoding), `calibrated` (corrected for a model family), `counted` (by the
 * API of the model's maker, or with the model's own encoding).
 */
export type CountMethod = 'rough' | 'estimated' | 'calibrated' | 'counted';

/** A number of tokens and how it was made. */
export interface Count {
  /** Whole number, 0 or more. */
  readonly tokens: number;
  readonly method: CountMethod;
}

const strength: Readonly<Record<CountMethod, number>> = { rough: 0, estimated: 1, calibrated: 2, counted: 3 };

/**
 * The method that a sum of two figures can claim.
 *
 * @param one how one figure was made
 * @param other how the other was made
 * @returns the weaker of the two
 */
export function weaker(one: CountMethod, other: CountMethod): CountMethod {
  return strength[one] < strength[other] ? one : other;
}
