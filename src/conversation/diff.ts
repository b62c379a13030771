import type { Delta, DeltaSection } from '../render/delta.js';
import type { SectionHash, Told } from './told.js';

/** A server's text that the model should be following now. */
export interface ForcedText {
  /** The admitted text. */
  readonly text: string;
  /** The hash of its section as rendered. */
  readonly hash: SectionHash;
}

/**
 * What is in force, by printed id. A server that is not there has nothing in force; `hold` means that it is not
 * known yet (connecting, or away for less than the grace), so nothing is said about it.
 */
export type InForce = ReadonlyMap<string, ForcedText | 'hold'>;

/** A delta with lists that can be appended to. */
interface DraftDelta extends Delta {
  readonly added: DeltaSection[];
  readonly changed: DeltaSection[];
  readonly restored: string[];
  readonly removed: string[];
}

/**
 * Finds what must be said so that a reader knows exactly what is in force.
 *
 * @param told what the reader knows
 * @param inForce what should apply
 */
export function diff(told: Told, inForce: InForce): Delta {
  const delta: DraftDelta = { added: [], changed: [], restored: [], removed: [] };
  for (const [id, now] of inForce) {
    if (now === 'hold') continue;
    const before = told.get(id);
    if (before?.last === undefined) delta.added.push({ id, text: now.text });
    else if (before.last !== now.hash) delta.changed.push({ id, text: now.text });
    else if (!before.inForce) delta.restored.push(id);
  }
  for (const [id, before] of told) {
    if (before.inForce && !inForce.has(id)) delta.removed.push(id);
  }
  return delta;
}

/** Whether a delta says nothing. */
export function isEmptyDelta(delta: Delta): boolean {
  return delta.added.length + delta.changed.length + delta.restored.length + delta.removed.length === 0;
}
