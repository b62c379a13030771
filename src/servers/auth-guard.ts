import type { AuthProvider, OAuthClientProvider, Transport } from '@modelcontextprotocol/client';

import type { Clock } from './clock.js';
import { Deadline } from './deadline.js';

/** How long a refresh may take, in ms, before the next request starts another. */
const refreshMs = 60_000;

/** Which token a request carried, and whether it only opened a stream, by its response. */
export class TokenTrail {
  readonly #requests: WeakMap<Response, { readonly token: string | undefined; readonly isGet: boolean }> =
    new WeakMap();

  note(response: Response, init: RequestInit | undefined): void {
    if (response.status !== 401) return;
    const header = new Headers(init?.headers).get('authorization');
    const token = /^\S+ +(\S+)$/u.exec(header ?? '')?.[1];
    this.#requests.set(response, { token, isGet: (init?.method ?? 'GET') === 'GET' });
  }

  of(response: Response): string | undefined {
    return this.#requests.get(response)?.token;
  }

  isGet(response: Response): boolean {
    return this.#requests.get(response)?.isGet ?? false;
  }
}

/** What shared refreshes work with. */
export interface RefreshParts {
  readonly clock: Clock;
  readonly trail: TokenTrail;
  /** Aborts when the connection is over; read anew each time. */
  readonly signal: () => AbortSignal;
  /** Whether a token is good all the same, so that the refusal is about something else. */
  readonly isStillGood: (response: Response, token: string | undefined) => Promise<boolean>;
  /** A refresh failed, or took too long. */
  readonly onFailed: () => void;
}

/**
 * Lets many requests that meet a 401 at once lead to one refresh: a refresh token is often good for one use, and a second use can
 * end the whole grant.
 *
 * @param provider as the transport holds it
 */
export function shareRefresh(provider: AuthProvider, parts: RefreshParts): AuthProvider {
  const refresh = provider.onUnauthorized?.bind(provider);
  if (refresh === undefined) return provider;
  let running: Promise<void> | undefined;
  return {
    token: () => provider.token(),
    async onUnauthorized(context) {
      const used = parts.trail.of(context.response);
      if (await parts.isStillGood(context.response, used)) throw new Error('only this request was refused');
      const current = running === undefined ? await provider.token() : undefined;
      // Another request refreshed while this one was under way.
      if (used !== undefined && current !== undefined && used !== current && running === undefined) return;
      running ??= bounded(refresh(context), parts).finally(() => {
        running = undefined;
      });
      try {
        await running;
      } catch (error) {
        parts.onFailed();
        throw error;
      }
    },
  };
}

async function bounded(work: Promise<void>, { clock, signal }: RefreshParts): Promise<void> {
  const deadline = new Deadline(clock, refreshMs, signal());
  try {
    await deadline.race(work);
  } finally {
    deadline.clear();
  }
}

/**
 * Tells when a message of the client's is refused for its credentials. A refused stream says nothing of the kind: the SDK opens it
 * beside, and there are servers that answer 401 to every GET.
 *
 * @param transport watched from now on
 */
export function watchRefusals(
  transport: Transport,
  isRefusal: (error: unknown) => boolean,
  onRefused: () => void,
): void {
  const send = transport.send.bind(transport);
  transport.send = (message, options) =>
    send(message, options).catch((error: unknown) => {
      if (isRefusal(error)) onRefused();
      throw error;
    });
}

/**
 * The SDK's transports make an `AuthProvider` of an OAuth provider by themselves and keep the original for what only OAuth knows, so
 * there is no option to put a guard between. The field is theirs; where it is not there, refreshes are simply not shared.
 */
export function guardTransport(transport: object, guard: (provider: AuthProvider) => AuthProvider): void {
  const provider: unknown = Reflect.get(transport, '_authProvider');
  if (isAuthProvider(provider)) Reflect.set(transport, '_authProvider', guard(provider));
}

/**
 * The same OAuth provider, but one that sends nobody to a browser while `isAllowed` says no: a reconnect in the background must not
 * open windows.
 */
export function withoutRedirects(
  provider: OAuthClientProvider,
  isAllowed: () => boolean,
  refuse: () => Error,
): OAuthClientProvider {
  return new Proxy(provider, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return (...parameters: unknown[]): unknown => {
        if (name === 'redirectToAuthorization' && !isAllowed()) throw refuse();
        return Reflect.apply(value, target, parameters);
      };
    },
  });
}

/** The SDK's own test for a full OAuth provider. */
export function isOAuthProvider(
  provider: AuthProvider | OAuthClientProvider,
): provider is OAuthClientProvider {
  return 'tokens' in provider && 'clientInformation' in provider;
}

function isAuthProvider(value: unknown): value is AuthProvider {
  return typeof value === 'object' && value !== null && typeof Reflect.get(value, 'token') === 'function';
}
