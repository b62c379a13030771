import type { Anchor, LedgerEntry } from './ledger.js';

/** The messages of a request, by position: of those of the user their names and, where they have one, their records. */
export interface Stops {
  readonly anchors: readonly (Anchor | undefined)[];
  readonly entries: readonly (LedgerEntry | undefined)[];
}

const NONE: ReadonlySet<Anchor> = new Set();

/**
 * Finds records that do not belong to a request although their messages do. Each record names the one before it, and so proves that no
 * message between the two was recorded when it went out: a record that came into being there later, in another branch, is of that branch.
 *
 * @param stops the messages of a request
 * @returns the anchors of such records
 */
export function foreignRecords({ anchors, entries }: Stops): ReadonlySet<Anchor> {
  let foreign: Set<Anchor> | undefined;
  // The record that the next one goes on from: '' when it is the first of its history.
  let expected: Anchor | undefined;
  for (let at = anchors.length - 1; at >= 0; at -= 1) {
    const anchor = anchors[at];
    if (anchor === undefined) continue;
    const entry = entries[at];
    if (expected !== undefined && anchor !== expected) {
      if (entry !== undefined) (foreign ??= new Set()).add(anchor);
      continue;
    }
    expected = entry === undefined ? undefined : (entry.previous ?? '');
  }
  return foreign ?? NONE;
}
