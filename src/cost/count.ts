/**
 * How a token figure was made, from the weakest to the strongest: `rough` (UTF-8 bytes / 3, before the rank table is
 * there), `estimated` (tokens of the o200k encoding, for a model of unknown family), `calibrated` (corrected for a model
 * family), `counted` (by the API of the model's maker, or with the model's own encoding).
 */
export type CountMethod = 'rough' | 'estimated' | 'calibrated' | 'counted';

/** A number of tokens and how it was made. */
export interface Count {
  /** Whole number, 0 or more. */
  readonly tokens: number;
  readonly method: CountMethod;
}

/** A number of tokens for one model, and between which numbers it should lie. */
export interface Figure extends Count {
  /** Lower end of the band. */
  readonly low: number;
  /** Upper end of the band. */
  readonly high: number;
  /** Name of the calibration that made the figure, such as `claude-5/2026-11`; `null` without one. */
  readonly calibration: string | null;
  /** What the estimate was, when the figure was counted instead. */
  readonly estimated?: number;
  /** Why the figure is not exact though exact counts are wanted; absent when it is, or they are not. */
  readonly notCounted?: NotCounted;
}

/** Why a text could not be counted exactly. */
export type NotCounted =
  /** The count is under way, or waits for its turn. */
  | 'pending'
  /** The model is not one that the client can count for. */
  | 'other-model'
  /** No answer in time, or status 408. */
  | 'timeout'
  /** Status 400, or another below 500: the API does not accept the request. */
  | 'refused'
  /** Status 401 or 403. */
  | 'forbidden'
  /** Status 404: no such model, or no such endpoint. */
  | 'not-found'
  /** Status 429. */
  | 'rate-limited'
  /** Status 500 and above, 529 included. */
  | 'overloaded'
  /** The client threw without a status: no connection, or a fault in it. */
  | 'unreachable'
  /** The answer holds no positive number. */
  | 'no-number'
  /** The block would have no tokens, more than any text needs, or less than a quarter of the least that was estimated. */
  | 'implausible'
  /** The injector was closed before. */
  | 'closed';

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
