import type { InstructionsLimit } from '../cost/report.js';
import type { Admission } from '../instructions/admit.js';
import { shareFairly } from '../instructions/budgets.js';
import type { Candidate, SettledShares, Share } from './settled-shares.js';
import type { TokenFits } from './token-fits.js';

type Unit = 'chars' | 'tokens';

const nothingTaken = (): number => Number.POSITIVE_INFINITY;

interface Draft {
  readonly candidate: Candidate;
  chars: number;
  tokens: number;
  limit: InstructionsLimit | undefined;
}

/** Shares what all servers that a conversation is told about may say together: newcomers share what those told before left. */
export class Shares {
  readonly #maxTotalChars: number | undefined;
  readonly #maxTotalTokens: number | undefined;
  readonly #fits: TokenFits;

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
   * @param isHeld whether nothing is known of a server at the moment; what it was told still counts
   * @param settledOf the room that texts take in the conversation
   * @returns a share for each id; `undefined` while it is not known
   */
  divide(
    candidates: readonly Candidate[],
    isHeld: (id: string) => boolean,
    settledOf: () => SettledShares,
  ): ReadonlyMap<string, Share | undefined> {
    if (!this.hasTotal) return this.#divideRest(candidates, nothingTaken);
    const settled = settledOf();
    const shares = new Map<string, Share | undefined>();
    const present = new Set(candidates.map(({ id }) => id));
    settled.update((id) => present.has(id) || isHeld(id));
    const left = (unit: Unit): number => this.#total(unit) - settled.taken(unit);
    const fits = ({ chars, tokens }: Share): boolean => chars <= left('chars') && tokens <= left('tokens');
    const newcomers = candidates.filter((candidate) => {
      const share = settled.claim(candidate, fits);
      if (share !== undefined) shares.set(candidate.id, share);
      return share === undefined;
    });
    const rest = this.#divideRest(newcomers, left);
    for (const { id } of newcomers) shares.set(id, rest.get(id));
    return shares;
  }

  #total(unit: Unit): number {
    const total = unit === 'chars' ? this.#maxTotalChars : this.#maxTotalTokens;
    return total ?? Number.POSITIVE_INFINITY;
  }

  #divideRest(newcomers: readonly Candidate[], left: (unit: Unit) => number): ReadonlyMap<string, Share> {
    const drafts = newcomers.map((candidate) => this.#ownLimit(candidate));
    const known = drafts.filter((draft) => draft !== undefined);
    // What one takes depends on what the others want.
    if (this.hasTotal && known.length < drafts.length) return new Map();
    this.#limitChars(known, left);
    if (!this.#limitTokens(known, left)) return new Map();
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

  #limitChars(drafts: readonly Draft[], left: (unit: Unit) => number): void {
    if (this.#maxTotalChars === undefined) return;
    const wants = drafts.map(({ chars }) => chars);
    shareFairly(wants, left('chars')).forEach((share, index) => {
      const draft = drafts[index];
      if (draft !== undefined && share < draft.chars)
        Object.assign(draft, { chars: share, limit: 'maxTotalChars' });
    });
  }

  /** @returns whether all is known that it takes */
  #limitTokens(drafts: readonly Draft[], left: (unit: Unit) => number): boolean {
    if (this.#maxTotalTokens === undefined) return true;
    const wants = drafts.map((draft) => this.#tokens(draft));
    const sizes = wants.filter((want) => want !== undefined);
    if (sizes.length < wants.length) return false;
    const shares = shareFairly(sizes, left('tokens'));
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

/** The cleaned text, as far as it may be shown: no marker, no fence that was closed. */
function bodyOf(own: Admission, chars: number): string {
  return own.text.slice(0, chars);
}
