import type { FetchLike } from '@modelcontextprotocol/client';

import { errorCode } from './failure.js';
import { limitBody } from './limited-body.js';

/** The largest body, or event of a stream, in bytes: as much as one line over standard output. */
export const maxBodyBytes: number = 10 * 1024 * 1024;

/** What the requests of one connection have met with. */
export interface FetchTrace {
  /** The status of the newest response. */
  status: number | undefined;
  /** The system's code of the newest request without a response, such as `ECONNREFUSED`. */
  code: string | undefined;
  /** Whether the newest request got no response. */
  hasFailed: boolean;
  /** Whether a body was over the limit. */
  hasOverflowed: boolean;
}

/** What the watched `fetch` tells. */
export interface FetchEvents {
  /** A request got no response, and nobody had aborted it. */
  readonly onUnreachable: (code: string | undefined) => void;
  /** A body was over the limit. */
  readonly onOverflow: () => void;
  /** The body of an answer to a GET ended. */
  readonly onStreamEnd: () => void;
}

/**
 * Wraps a `fetch` so that an abort of the connection reaches every request, also where the SDK does not pass one on, and bodies
 * are bounded.
 *
 * @param fetch the host's, or the global one
 * @param signal aborts every request
 * @param trace written to
 */
export function watchFetch(
  fetch: FetchLike,
  signal: AbortSignal,
  trace: FetchTrace,
  events: FetchEvents,
): FetchLike {
  return async (url, init) => {
    const own = init?.signal ?? undefined;
    const both = own === undefined ? signal : AbortSignal.any([own, signal]);
    let response: Response;
    try {
      response = await fetch(url, { ...init, signal: both });
    } catch (error) {
      if (!both.aborted) {
        trace.hasFailed = true;
        trace.code = errorCode(error);
        events.onUnreachable(trace.code);
      }
      throw error;
    }
    trace.hasFailed = false;
    trace.status = response.status;
    const isGet = init?.method === undefined || init.method === 'GET';
    return limitBody(response, {
      maxBytes: maxBodyBytes,
      onOverflow: () => {
        trace.hasOverflowed = true;
        events.onOverflow();
      },
      ...(isGet && response.ok ? { onEnd: events.onStreamEnd } : {}),
    });
  };
}
