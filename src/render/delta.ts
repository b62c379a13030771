/** What one server is told to have said: its id and its admitted text. */
export interface DeltaSection {
  readonly id: string;
  readonly text: string;
}

/** What changed for the model between what it was told and what is in force now. */
export interface Delta {
  /** Servers whose text the model has not been told. */
  readonly added: readonly DeltaSection[];
  /** Servers whose text replaces one told before. */
  readonly changed: readonly DeltaSection[];
  /** Ids of servers whose text, told before and withdrawn since, applies again. */
  readonly restored: readonly string[];
  /** Ids of servers whose text, told before, no longer applies. */
  readonly removed: readonly string[];
}

/** The four kinds of news, in the order in which a block gives them. */
export const DELTA_KINDS = ['added', 'changed', 'restored', 'removed'] as const;

/** One of the kinds of news a block can carry. */
export type DeltaKind = (typeof DELTA_KINDS)[number];

/** Orders strings by UTF-16 code unit, the same on every machine and in every locale. */
export function byCodeUnit(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
