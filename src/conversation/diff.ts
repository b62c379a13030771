import type { Delta, DeltaSection } from '../render/delta.js';
import type { SectionHash, Told } from './told.js';

/** A server's text that the model should be following now. */
export interface ForcedText {
  /** The admitted text. */
  readonly text: string;
  /** The hash of its section as rendered. */
  readonly hash: SectionHash;
  /**
   * Whether a section that was told is this text, too, cut at another length. Where servers share a limit, what one gets depends
   * on the others, and a text already told keeps its length.
   */
  readonly isToldBy?: (section: string) => boolean;
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
 * @param sectionOf gives a section that was told; `undefined` when it is not in the request
 */
export function diff(
  told: Told,
  inForce: InForce,
  sectionOf: (id: string, hash: SectionHash) => string | undefined = () => undefined,
): Delta {
  const isToldAsCut = (id: string, last: SectionHash, now: ForcedText): boolean => {
    const section = now.isToldBy === undefined ? undefined : sectionOf(id, last);
    return section !== undefined && now.isToldBy?.(section) === true;
  };

  const delta: DraftDelta = { added: [], changed: [], restored: [], removed: [] };
  for (const [id, now] of inForce) {
    if (now === 'hold') continue;
    const before = told.get(id);
    if (before?.last === undefined) delta.added.push({ id, text: now.text });
    else if (before.last === now.hash) {
      if (!before.inForce) delta.restored.push(id);
    } // What was withdrawn gave its room away: at another length it cannot just apply again.
    else if (!before.inForce || !isToldAsCut(id, before.last, now)) {
      delta.changed.push({ id, text: now.text });
    }
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
