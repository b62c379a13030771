import { cleanId } from '../instructions/clean-id.js';
import { graphemeBorder } from '../instructions/graphemes.js';
import { byCodeUnit } from './delta.js';

/** Longest printed id, in UTF-16 units, its number included. */
const MAX_UNITS = 64;

/** A printed id that cleaning leaves as it is: what is read back from a block is printed again under the same name. */
function numbered(base: string, number: number): string {
  const suffix = ` (${number})`;
  const kept = base.slice(0, graphemeBorder(base, MAX_UNITS - suffix.length)).trimEnd();
  return cleanId(kept + suffix);
}

/**
 * Chooses how each server id is printed: on one line, cleaned, at most 64 units. Ids that would print alike get
 * ` (2)`, ` (3)` in code-unit order of the ids. An id that is printed as it is keeps its own name.
 *
 * @param ids server ids, in any order
 * @returns the printed form of every id, in code-unit order of the ids; no two are equal, and printing them again
 *   changes none
 */
export function printIds(ids: Iterable<string>): Map<string, string> {
  const sorted = [...new Set(ids)].sort(byCodeUnit);
  const printed = new Map<string, string>();
  const taken = new Set<string>();
  for (const id of sorted) {
    if (cleanId(id) !== id) continue;
    printed.set(id, id);
    taken.add(id);
  }
  const numbers = new Map<string, number>();
  for (const id of sorted) {
    if (printed.has(id)) continue;
    const base = cleanId(id);
    let name = base;
    let number = numbers.get(base) ?? 2;
    for (; taken.has(name); number += 1) name = numbered(base, number);
    numbers.set(base, number);
    printed.set(id, name);
    taken.add(name);
  }
  return new Map(sorted.map((id) => [id, printed.get(id) ?? id]));
}
