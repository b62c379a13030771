import type { AuthProvider, OAuthClientProvider } from '@modelcontextprotocol/client';

/** Which token a request carried, by its response. */
export class TokenTrail {
  readonly #tokens: WeakMap<Response, string> = new WeakMap();

  note(response: Response, init: RequestInit | undefined): void {
    if (response.status !== 401) return;
    const header = new Headers(init?.headers).get('authorization');
    const token = /^\S+ +(\S+)$/u.exec(header ?? '')?.[1];
    if (token !== undefined) this.#tokens.set(response, token);
  }

  of(response: Response): string | undefined {
    return this.#tokens.get(response);
  }
}

/**
 * Lets many requests that meet a 401 at once lead to one refresh: a refresh token is often good for one use, and a second use can
 * end the whole grant.
 *
 * @param provider as the transport holds it
 * @param onFailed called when a refresh failed
 */
export function shareRefresh(provider: AuthProvider, trail: TokenTrail, onFailed: () => void): AuthProvider {
  const refresh = provider.onUnauthorized?.bind(provider);
  if (refresh === undefined) return provider;
  let running: Promise<void> | undefined;
  return {
    token: () => provider.token(),
    async onUnauthorized(context) {
      const used = trail.of(context.response);
      const current = running === undefined ? await provider.token() : undefined;
      // Another request refreshed while this one was under way.
      if (used !== undefined && current !== undefined && used !== current && running === undefined) return;
      running ??= refresh(context).finally(() => {
        running = undefined;
      });
      try {
        await running;
      } catch (error) {
        onFailed();
        throw error;
      }
    },
  };
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
