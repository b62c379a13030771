import type { InstructionsLimit } from '../cost/report.js';
import type { Admission } from '../instructions/admit.js';

/** How much of a text is shown, and why not more. */
export interface Share {
  /** UTF-16 units; 0 for nothing. */
  readonly chars: number;
  /** Of the o200k encoding; 0 where there is no common limit in tokens. */
  readonly tokens: number;
  /** `undefined` when the text is whole, as far as these limits go. */
  readonly limit: InstructionsLimit | undefined;
  /** The text that it was made for: as received, as long as its own `maxChars` leaves it, its own limit in tokens. */
  readonly value: unknown;
  readonly ownChars: number;
  readonly maxTokens: number | undefined;
}

/** A text that wants a share. */
export interface Candidate {
  readonly id: string;
  /** As received: what tells one text from another. */
  readonly value: unknown;
  /** Admitted under its own `maxChars`. */
  readonly own: Admission;
  readonly maxTokens: number | undefined;
}

interface Settled {
  readonly share: Share;
  inForce: boolean;
}

/**
 * The room that texts take in one conversation. A text that its model was told keeps its length for as long as it is in force, so
 * that a newcomer changes no byte of it.
 */
export class SettledShares {
  readonly #settled: Map<string, Settled> = new Map();

  /**
   * What is no longer there takes no room.
   *
   * @param isThere whether a server's text is still to be shown, as far as it is known
   */
  update(isThere: (id: string) => boolean): void {
    for (const [id, settled] of this.#settled) settled.inForce &&= isThere(id);
  }

  /**
   * @param candidate a text that is to be shown
   * @param fits whether there is still room for a share
   * @returns the share it has, if it is the same text; one that is back keeps its length if others did not take the place meanwhile
   */
  claim(candidate: Candidate, fits: (share: Share) => boolean): Share | undefined {
    const settled = this.#settled.get(candidate.id);
    if (settled === undefined) return undefined;
    if (isSame(settled.share, candidate) && (settled.inForce || fits(settled.share))) {
      settled.inForce = true;
      return settled.share;
    }
    this.#settled.delete(candidate.id);
    return undefined;
  }

  /** What those in force take together. */
  taken(unit: 'chars' | 'tokens'): number {
    let taken = 0;
    for (const { inForce, share } of this.#settled.values()) if (inForce) taken += share[unit];
    return taken;
  }

  /** The model was told a text under this share. The first one told holds, when two requests were given different ones. */
  settle(id: string, share: Share): void {
    const settled = this.#settled.get(id);
    if (settled?.inForce === true && settled.share.value === share.value) return;
    this.#settled.set(id, { share, inForce: true });
  }
}

function isSame(share: Share, { value, own, maxTokens }: Candidate): boolean {
  return share.value === value && share.ownChars === own.keptChars && share.maxTokens === maxTokens;
}
