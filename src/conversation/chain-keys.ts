import { digestKey, type Digest } from './digest.js';

/** Remembers the anchors of the last request: of a history that only grew, all but the newest repeat. */
export class ChainKeys {
  readonly #seen: { digest: Digest; key: string }[] = [];

  /**
   * @param position which user message of the request, from 0
   * @param digest the history up to and with it
   */
  keyAt(position: number, digest: Digest): string {
    const seen = this.#seen[position];
    if (seen !== undefined && seen.digest.high === digest.high && seen.digest.low === digest.low) {
      return seen.key;
    }
    const key = digestKey(digest);
    this.#seen[position] = { digest, key };
    return key;
  }
}
