import type { InstructionsLimit } from '../cost/report.js';
import type { Admission } from '../instructions/admit.js';
import { shareFairly } from '../instructions/budgets.js';
import type { TokenFits } from './token-fits.js';

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

interface Draft {
  readonly candidate: Candidate;
  chars: number;
  tokens: number;
  limit: InstructionsLimit | undefined;
}

/**
 * Shares what all servers together may say. A text that a model was told keeps its length for as long as it is in force, so that a
 * newcomer changes no byte of it; newcomers share what is left.
 */
export class Shares {
  readonly #maxTotalChars: number | undefined;
  readonly #maxTotalTokens: number | undefined;
  readonly #fits: TokenFits;
  readonly #settled: Map<string, Settled> = new Map();

  constructor(
    limits: { readonly maxTotalChars: number | undefined; readonly maxTotalTokens: number | undefined },
    fits: TokenFits,
  ) {
    this.#maxTotalChars = limits.maxTotalChars;
    this.#maxTotalTokens = limits.maxTotalTokens;
    this.#fits = fits;
  }

  /** Whether all servers together have a limit. */
  get hasTotal(): boolean {
    return this.#maxTotalChars !== undefined || this.#maxTotalTokens !== undefined;
  }

  /** Finds out ahead what will be asked of a text that just came. */
  warm(candidate: Candidate): void {
    const draft = this.#ownLimit(candidate);
    if (draft !== undefined && this.#maxTotalTokens !== undefined) this.#tokens(draft);
  }

  /**
   * @param candidates every text that would be shown, in any order
   * @param held ids of servers of which nothing is known at the moment; what they were told still counts
   * @returns a share for each id; `undefined` while it is not known
   */
  divide(
    candidates: readonly Candidate[],
    held: ReadonlySet<string>,
  ): ReadonlyMap<string, Share | undefined> {
    const shares = new Map<string, Share | undefined>();
    const newcomers: Candidate[] = [];
    const present = new Set(candidates.map(({ id }) => id));
    for (const [id, settled] of this.#settled) settled.inForce &&= present.has(id) || held.has(id);
    for (const candidate of candidates) {
      const settled = this.#settled.get(candidate.id);
      if (settled !== undefined && isSame(settled.share, candidate) && this.#stays(settled)) {
        settled.inForce = true;
        shares.set(candidate.id, settled.share);
      } else {
        this.#settled.delete(candidate.id);
        newcomers.push(candidate);
      }
    }
    const rest = this.#divideRest(newcomers);
    for (const { id } of newcomers) shares.set(id, rest.get(id));
    return shares;
  }

  /** A model was told a text under this share. The first one told holds, when two requests were given different ones. */
  settle(id: string, share: Share): void {
    const settled = this.#settled.get(id);
    if (settled?.inForce === true && settled.share.value === share.value) return;
    this.#settled.set(id, { share, inForce: true });
  }

  forget(id: string): void {
    this.#settled.delete(id);
  }

  /** A text that is back keeps its old length, if others did not take the place meanwhile. */
  #stays({ inForce, share: { chars, tokens } }: Settled): boolean {
    return inForce || (chars <= this.#left('chars') && tokens <= this.#left('tokens'));
  }

  #left(unit: 'chars' | 'tokens'): number {
    const total = unit === 'chars' ? this.#maxTotalChars : this.#maxTotalTokens;
    if (total === undefined) return Number.POSITIVE_INFINITY;
    let taken = 0;
    for (const { inForce, share } of this.#settled.values()) if (inForce) taken += share[unit];
    return total - taken;
  }

  #divideRest(newcomers: readonly Candidate[]): ReadonlyMap<string, Share> {
    const drafts = newcomers.map((candidate) => this.#ownLimit(candidate));
    const known = drafts.filter((draft) => draft !== undefined);
    // What one takes depends on what the others want.
    if (this.hasTotal && known.length < drafts.length) return new Map();
    this.#limitChars(known);
    if (!this.#limitTokens(known)) return new Map();
    return new Map(
      known.map(({ candidate, chars, tokens, limit }) => {
        const { id, value, own, maxTokens } = candidate;
        return [id, { chars, tokens, limit, value, ownChars: own.keptChars, maxTokens }];
      }),
    );
  }

  #ownLimit(candidate: Candidate): Draft | undefined {
    const { own, maxTokens } = candidate;
    const whole = own.keptChars;
    const chars = maxTokens === undefined ? whole : this.#fits.fit(bodyOf(own, whole), maxTokens);
    if (chars === undefined) return undefined;
    return { candidate, chars, tokens: 0, limit: chars < whole ? 'maxTokens' : undefined };
  }

  #limitChars(drafts: readonly Draft[]): void {
    if (this.#maxTotalChars === undefined) return;
    const wants = drafts.map(({ chars }) => chars);
    shareFairly(wants, this.#left('chars')).forEach((share, index) => {
      const draft = drafts[index];
      if (draft !== undefined && share < draft.chars)
        Object.assign(draft, { chars: share, limit: 'maxTotalChars' });
    });
  }

  /** @returns whether all is known that it takes */
  #limitTokens(drafts: readonly Draft[]): boolean {
    if (this.#maxTotalTokens === undefined) return true;
    const wants = drafts.map((draft) => this.#tokens(draft));
    const sizes = wants.filter((want) => want !== undefined);
    if (sizes.length < wants.length) return false;
    const shares = shareFairly(sizes, this.#left('tokens'));
    let isKnown = true;
    drafts.forEach((draft, index) => {
      draft.tokens = sizes[index] ?? 0;
      const share = shares[index] ?? 0;
      if (share >= draft.tokens) return;
      const chars = share === 0 ? 0 : this.#fits.fit(bodyOf(draft.candidate.own, draft.chars), share);
      if (chars === undefined) isKnown = false;
      else Object.assign(draft, { chars, tokens: share, limit: 'maxTotalTokens' });
    });
    return isKnown;
  }

  #tokens({ candidate, chars }: Draft): number | undefined {
    return chars === 0 ? 0 : this.#fits.count(bodyOf(candidate.own, chars));
  }
}

function isSame(share: Share, { value, own, maxTokens }: Candidate): boolean {
  return share.value === value && share.ownChars === own.keptChars && share.maxTokens === maxTokens;
}

/** The cleaned text, as far as it may be shown: no marker, no fence that was closed. */
function bodyOf(own: Admission, chars: number): string {
  return own.text.slice(0, chars);
}
