import type { Anchor, LedgerEntry } from './ledger.js';

/** A user message of a request: its name and its record, if it has one. */
export interface Stop {
  readonly anchor: Anchor;
  readonly entry: LedgerEntry | undefined;
}

/**
 * Finds records that do not belong to a request although their messages do. Each record names the one before it, and so proves that no
 * message between the two was recorded when it went out: a record that came into being there later, in another branch, is of that branch.
 *
 * @param stops the user messages of a request, in order
 * @returns the anchors of such records
 */
export function foreignRecords(stops: readonly Stop[]): ReadonlySet<Anchor> {
  const foreign = new Set<Anchor>();
  // The record that the next one goes on from: '' when it is the first of its history.
  let expected: Anchor | undefined;
  for (let at = stops.length - 1; at >= 0; at -= 1) {
    const { anchor, entry } = stops[at]!;
    if (expected !== undefined && anchor !== expected) {
      if (entry !== undefined) foreign.add(anchor);
      continue;
    }
    expected = entry === undefined ? undefined : (entry.previous ?? '');
  }
  return foreign;
}
