import type { FetchLike } from '@modelcontextprotocol/client';

const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const maxRedirects = 5;

/** An answer that points elsewhere, where the request must not go: it carries what is meant for one server only. */
export class RedirectError extends Error {
  /** The HTTP status; 0 where the runtime hides it. */
  readonly status: number;

  constructor(status: number) {
    super('a redirect was not followed');
    this.name = 'RedirectError';
    this.status = status;
  }
}

/**
 * Wraps a `fetch` for requests that this library builds itself. The rule is the one that the SDK has for its own: a redirect is
 * followed where it keeps the method and stays within the origin.
 *
 * @returns a `fetch` that rejects with a {@link RedirectError} for every other redirect, followed by somebody below or not
 */
export function withinOrigin(fetch: FetchLike): FetchLike {
  return async (url, init) => {
    let current = new URL(url);
    for (let followed = 0; ; followed += 1) {
      const response = await fetch(current, { ...init, redirect: 'manual' });
      if (response.type === 'opaqueredirect' || wasFollowedElsewhere(response, current))
        throw refuse(response);
      if (!redirectStatuses.has(response.status)) return response;
      const target = targetOf(response, current);
      if (target === undefined || followed === maxRedirects || !mayFollow(response, init, current, target))
        throw refuse(response);
      discard(response);
      current = target;
    }
  };
}

/** Lets go of a body that nobody reads; whoever made it may never say that it is gone. */
export function discard(response: Response): void {
  void response.body?.cancel().catch(() => {});
}

function refuse(response: Response): RedirectError {
  discard(response);
  return new RedirectError(response.status);
}

/** A `fetch` of the host's may build requests of its own, and so not know that it must leave redirects alone. */
function wasFollowedElsewhere(response: Response, asked: URL): boolean {
  return response.redirected && URL.canParse(response.url) && !isWithin(asked, new URL(response.url));
}

function targetOf(response: Response, asked: URL): URL | undefined {
  const location = response.headers.get('location');
  return location !== null && URL.canParse(location, asked.href) ? new URL(location, asked) : undefined;
}

function mayFollow(response: Response, init: RequestInit | undefined, from: URL, to: URL): boolean {
  const keepsMethod = (init?.method ?? 'GET') === 'GET' || response.status === 307 || response.status === 308;
  return keepsMethod && to.username === '' && to.password === '' && isWithin(from, to);
}

/** The same origin, or its encrypted form where both have the default port. */
function isWithin(from: URL, to: URL): boolean {
  if (from.origin === to.origin) return true;
  const isUpgrade = from.protocol === 'http:' && to.protocol === 'https:';
  return isUpgrade && from.hostname === to.hostname && from.port === '' && to.port === '';
}
