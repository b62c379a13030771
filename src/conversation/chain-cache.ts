import { chainDigest, digestKey, type Digest } from './digest.js';
import type { Anchor } from './ledger.js';

interface Step {
  readonly before: Digest;
  readonly digest: Digest;
  readonly after: Digest;
  key: Anchor | undefined;
}

/**
 * Remembers how the last request's history was chained: of a history that only grew, all but the newest repeats. Digests
 * that were remembered are the same objects, so comparing references is enough.
 */
export class ChainCache {
  readonly #steps: Step[] = [];

  /**
   * @param position which message of the history, from 0
   * @param before the history up to it
   * @param digest the message
   * @returns the history up to and with it
   */
  chain(position: number, before: Digest, digest: Digest): Digest {
    const known = this.#steps[position];
    if (known !== undefined && known.before === before && known.digest === digest) return known.after;
    const after = chainDigest(before, digest);
    this.#steps[position] = { before, digest, after, key: undefined };
    return after;
  }

  /**
   * @param position a message that was just chained
   * @returns the key of the history up to and with it
   */
  keyAt(position: number): Anchor {
    const step = this.#steps[position];
    if (step === undefined) throw new RangeError(`no message was chained at ${position}`);
    step.key ??= digestKey(step.after);
    return step.key;
  }
}
