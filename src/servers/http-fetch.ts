import type { FetchLike } from '@modelcontextprotocol/client';

import type { Clock } from './clock.js';
import { cutErrorBody } from './error-body.js';
import { errorCode, readRetryAfter } from './failure.js';
import { limitBody } from './limited-body.js';

/** The largest body, or event of a stream, in bytes: as much as one line over standard output. */
export const maxBodyBytes: number = 10 * 1024 * 1024;

/** What the requests of one connection to its server have met with. */
export interface FetchTrace {
  /** The status of the response to the newest request; `undefined` while there is none. */
  status: number | undefined;
  /** How long the newest response asked to be left alone, in ms. */
  retryAfterMs: number | undefined;
  /** The system's code of the newest request without a response, such as `ECONNREFUSED`. */
  code: string | undefined;
  /** Whether the newest request got no response. */
  hasFailed: boolean;
  /** Whether a body was over the limit. */
  hasOverflowed: boolean;
}

/** What the watched `fetch` asks and tells. */
export interface FetchEvents {
  readonly clock: Clock;
  /** Aborts every request; read anew for each. */
  readonly signal: () => AbortSignal;
  /** Whether a request goes to the server itself; others go to its authorization server. */
  readonly isOwn: (url: URL, init: RequestInit | undefined) => boolean;
  /** A request got no response, and nobody had aborted it. */
  readonly onUnreachable: () => void;
  /** A body was over the limit. */
  readonly onOverflow: () => void;
  /** The body of an answer to a GET ended. */
  readonly onStreamEnd: () => void;
  /** Something came from the server itself: a response, or a piece of its body. */
  readonly onHeard: () => void;
  /** A response came. */
  readonly onResponse: (response: Response, init: RequestInit | undefined) => void;
}

/**
 * Wraps a `fetch` so that an abort of the connection reaches every request, also where the SDK does not pass one on, and bodies
 * are bounded: what an error says is cut off, anything else over the limit fails.
 *
 * @param fetch the host's, or the global one
 * @param trace written to
 */
export function watchFetch(fetch: FetchLike, trace: FetchTrace, events: FetchEvents): FetchLike {
  return async (url, init) => {
    const isOwn = events.isOwn(new URL(url), init);
    const own = init?.signal ?? undefined;
    const signal = own === undefined ? events.signal() : AbortSignal.any([own, events.signal()]);
    if (isOwn) {
      trace.hasFailed = false;
      trace.status = undefined;
      trace.retryAfterMs = undefined;
    }
    let response: Response;
    try {
      response = await fetch(url, { ...init, signal });
    } catch (error) {
      if (!signal.aborted && isOwn) {
        trace.hasFailed = true;
        trace.code = errorCode(error);
        events.onUnreachable();
      }
      throw error;
    }
    if (isOwn) {
      events.onHeard();
      trace.status = response.status;
      trace.retryAfterMs = readRetryAfter(response.headers.get('retry-after'), events.clock.now());
    }
    const isStream = isOwn && (init?.method ?? 'GET') === 'GET';
    if (!response.ok) {
      const cut = cutErrorBody(response, events.clock);
      events.onResponse(cut, init);
      return cut;
    }
    const limited = limitBody(response, {
      maxBytes: maxBodyBytes,
      onOverflow: () => {
        if (!isOwn) return;
        trace.hasOverflowed = true;
        events.onOverflow();
      },
      ...(isOwn ? { onChunk: events.onHeard } : {}),
      ...(isStream ? { onEnd: events.onStreamEnd } : {}),
    });
    events.onResponse(limited, init);
    return limited;
  };
}
