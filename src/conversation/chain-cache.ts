import { chainDigest, digestKey, EMPTY_DIGEST, type Digest } from './digest.js';
import type { Anchor } from './ledger.js';
import type { Reading } from './reading.js';

type Turn = Reading['turns'][number];

/**
 * Remembers how the last request's history was chained: of a history that only grew, all but the newest repeats. Turns that were
 * remembered are the same objects, so comparing references is enough.
 */
export class ChainCache {
  #start: Digest = EMPTY_DIGEST;
  readonly #turns: Turn[] = [];
  /** The history up to and with each message. */
  readonly #chains: Digest[] = [];
  readonly #anchors: (Anchor | undefined)[] = [];

  /**
   * Chains a history.
   *
   * @param turns the history
   * @param end the position after its last message that counts
   * @param start what came before it
   * @returns the names of the user messages by position, `undefined` for others, until the next call; and all of the history
   */
  trace(
    turns: readonly Turn[],
    end: number,
    start: Digest,
  ): { readonly anchors: readonly (Anchor | undefined)[]; readonly chain: Digest } {
    const same = this.#sameAs(turns, end, start);
    this.#start = start;
    this.#turns.length = same;
    this.#chains.length = same;
    this.#anchors.length = same;
    let chain = this.#chains[same - 1] ?? start;
    for (let position = same; position < end; position += 1) {
      const turn = turns[position];
      if (turn === undefined) break;
      if (turn.digest !== undefined) chain = chainDigest(chain, turn.digest);
      this.#turns.push(turn);
      this.#chains.push(chain);
      this.#anchors.push(turn.role === 'user' ? digestKey(chain) : undefined);
    }
    return { anchors: this.#anchors, chain };
  }

  #sameAs(turns: readonly Turn[], end: number, start: Digest): number {
    const { high, low } = this.#start;
    if (start.high !== high || start.low !== low) return 0;
    const known = this.#turns;
    const most = Math.min(end, known.length);
    let same = 0;
    while (same < most && turns[same] === known[same]) same += 1;
    return same;
  }
}
