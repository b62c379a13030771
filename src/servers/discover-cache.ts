import type { DiscoverResult } from '@modelcontextprotocol/client';

import type { Moment } from './clock.js';

/** The longest time a server's word is taken for, in ms: a day. */
const longestTtlMs = 86_400_000;

/** A discover result that its server said stays valid for a while. */
export interface CachedDiscover {
  readonly discover: DiscoverResult;
  /** When it came, in ms since 1970, for people. */
  readonly receivedAt: number;
}

/**
 * Keeps the newest discover result of one server for the time that the server gave. It belongs to one manager, whatever its scope
 * says: what a server tells one user is nobody else's.
 */
export class DiscoverCache {
  #entry: (CachedDiscover & { readonly validUntil: number }) | undefined;

  /** Keeps a result; one without a time to live replaces an older one all the same. */
  put(discover: DiscoverResult, { now, elapsed }: Moment): void {
    const { ttlMs } = discover;
    const isKept = typeof ttlMs === 'number' && Number.isFinite(ttlMs) && ttlMs > 0;
    this.#entry = isKept
      ? { discover, receivedAt: now, validUntil: elapsed + Math.min(ttlMs, longestTtlMs) }
      : undefined;
  }

  /** The result, while it is valid. */
  get(elapsed: number): CachedDiscover | undefined {
    return this.#entry !== undefined && elapsed < this.#entry.validUntil ? this.#entry : undefined;
  }

  /** Forgets it: the credentials changed, or the server is another one now. */
  clear(): void {
    this.#entry = undefined;
  }
}
