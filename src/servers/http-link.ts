import type { AuthProvider, FetchLike, OAuthClientProvider, Transport } from '@modelcontextprotocol/client';

import { guardTransport, isOAuthProvider, shareRefresh, TokenTrail, withoutRedirects } from './auth-guard.js';
import type { Clock } from './clock.js';
import { errorCode, makeFailure } from './failure.js';
import { watchGivenUp } from './given-up.js';
import { explainHttp, isUnauthorized, silent, tooLarge, unauthorized, unreachable } from './http-failure.js';
import { type FetchTrace, watchFetch } from './http-fetch.js';
import type { Link } from './link.js';
import { PresenceCheck } from './presence-check.js';
import type { Sdk } from './sdk.js';
import type { CheckedHttpServer } from './server-options.js';
import type { Failure } from './server-state.js';
import { SessionRenewal } from './session-renewal.js';

/** How long the server gets to hear that its session ends, in ms. */
const goodbyeMs = 1_000;

/** A link over Streamable HTTP, or over the older SSE transport. */
export class HttpLink implements Link {
  readonly kind: 'http' | 'sse';
  readonly transport: Transport & {
    terminateSession?(): Promise<void>;
    finishAuth(code: string | URLSearchParams): Promise<void>;
  };
  readonly lost: Promise<Failure>;
  readonly finishAuth: Link['finishAuth'];
  onRenewed: Link['onRenewed'] = undefined;

  readonly #sdk: Sdk;
  readonly #config: CheckedHttpServer;
  readonly #clock: Clock;
  readonly #check: PresenceCheck;
  readonly #fetch: FetchLike;
  readonly #trace: FetchTrace = {
    status: undefined,
    retryAfterMs: undefined,
    code: undefined,
    hasFailed: false,
    hasOverflowed: false,
  };
  readonly #trail: TokenTrail = new TokenTrail();
  #lifetime: AbortController = new AbortController();
  #mayRedirect: boolean;
  #isLive = false;
  #lose: (failure: Failure) => void = () => {};
  #closing: Promise<void> | undefined;

  /**
   * @param mayRedirect whether the host's OAuth provider may send a person to a browser before the connection stands
   */
  constructor(config: CheckedHttpServer, kind: 'http' | 'sse', sdk: Sdk, mayRedirect: boolean, clock: Clock) {
    this.kind = kind;
    this.#sdk = sdk;
    this.#config = config;
    this.#mayRedirect = mayRedirect;
    this.#clock = clock;
    this.#check = new PresenceCheck({
      clock,
      ask: (signal) => this.#knock(config.fetch ?? globalThis.fetch, signal),
      onGone: (error) => this.#lose(error === undefined ? silent() : unreachable(errorCode(error))),
    });
    this.lost = new Promise((resolve) => {
      // The caller whose request failed hears its own error first, before closing ends all requests.
      this.#lose = (failure) => {
        this.#isLive = false;
        setTimeout(() => resolve(failure), 0);
      };
    });
    this.#fetch = this.#watchFetch();
    this.transport = this.#makeTransport();
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a transport of the SDK has no other way
    this.transport.onclose = () => this.#lose(makeFailure('connection-lost', 'the connection was closed'));
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a transport of the SDK has no other way
    this.transport.onerror = (error) => {
      if (isUnauthorized(error, sdk)) this.#lose(unauthorized());
    };
    watchGivenUp(this.transport, this.doubt);
    guardTransport(this.transport, (provider) =>
      shareRefresh(provider, this.#trail, () => this.#lose(unauthorized())),
    );
    const { authProvider } = config;
    if (authProvider !== undefined && isOAuthProvider(authProvider))
      this.finishAuth = async (code, signal) => {
        // The connection that wanted the code is over, and what it still asks is aborted; this is a new errand.
        await this.close();
        const lifetime = new AbortController();
        this.#lifetime = lifetime;
        if (signal.aborted) lifetime.abort();
        else signal.addEventListener('abort', () => lifetime.abort(), { once: true });
        await this.transport.finishAuth(code);
      };
  }

  async explain(error: unknown): Promise<Failure> {
    return explainHttp(error, this.#trace, this.#sdk);
  }

  async confirm(isCached: boolean): Promise<void> {
    // A cached text needs no answer, so nothing has shown yet that somebody is there.
    if (isCached && (await this.#knock(this.#fetch, this.#lifetime.signal)) >= 500)
      throw new Error('no usable answer');
    this.#mayRedirect = true;
    this.#isLive = true;
  }

  readonly doubt = (): void => {
    if (this.#isLive) void this.#check.run();
  };

  /**
   * Asks for anything at all. A POST, since a stream that a GET opens may show nothing of itself until there is news.
   *
   * @returns the status of the answer
   */
  async #knock(fetch: FetchLike, limit: AbortSignal): Promise<number> {
    const headers = {
      ...Object.fromEntries(this.#config.headers),
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 'mcp-instructions-check', method: 'ping' });
    const signal = AbortSignal.any([limit, this.#lifetime.signal]);
    const response = await fetch(this.#config.url, { method: 'POST', headers, body, signal });
    await response.body?.cancel();
    return response.status;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#isLive = false;
    if (this.transport.sessionId !== undefined && this.transport.terminateSession !== undefined) {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const patience = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, goodbyeMs);
      });
      await Promise.race([this.transport.terminateSession().catch(() => {}), patience]);
      clearTimeout(timer);
    }
    await this.transport.close().catch(() => {});
    this.#lifetime.abort();
  }

  #makeTransport(): HttpLink['transport'] {
    const url = new URL(this.#config.url);
    const { authProvider } = this.#config;
    const requestInit = { headers: Object.fromEntries(this.#config.headers) };
    const auth = authProvider === undefined ? {} : { authProvider: this.#guardRedirects(authProvider) };
    if (this.kind === 'sse')
      return new this.#sdk.SSEClientTransport(url, {
        ...auth,
        requestInit,
        fetch: this.#fetch,
        eventSourceInit: { fetch: this.#fetch },
      });
    const sessions = new SessionRenewal(this.#fetch, {
      onRenewed: (result) => this.onRenewed?.(result),
      onLost: () => this.#lose(makeFailure('connection-lost', 'the session ended and could not be renewed')),
    });
    return new this.#sdk.StreamableHTTPClientTransport(url, { ...auth, requestInit, fetch: sessions.fetch });
  }

  #guardRedirects(provider: AuthProvider | OAuthClientProvider): AuthProvider | OAuthClientProvider {
    if (!isOAuthProvider(provider)) return provider;
    return withoutRedirects(
      provider,
      () => this.#mayRedirect,
      () => new this.#sdk.UnauthorizedError('nobody is there to authorize'),
    );
  }

  #watchFetch(): FetchLike {
    const own = new URL(this.#config.url);
    return watchFetch(this.#config.fetch ?? globalThis.fetch, this.#trace, {
      signal: () => this.#lifetime.signal,
      isOwn: (url, init) =>
        url.href === own.href ||
        (this.kind === 'sse' && url.origin === own.origin && init?.method === 'POST'),
      onUnreachable: this.doubt,
      onHeard: () => this.#check.noteHeard(),
      now: () => this.#clock.now(),
      onOverflow: () => {
        this.#lose(tooLarge());
        // The SDK would wait for the rest of an event stream until its request times out.
        void this.transport.close();
      },
      onStreamEnd: () => {
        // The SSE transport hears its server only over this stream; Streamable HTTP opens another by itself.
        if (this.kind === 'sse' && !this.#lifetime.signal.aborted)
          this.#lose(makeFailure('connection-lost', 'the event stream ended'));
      },
      onResponse: (response, init) => this.#trail.note(response, init),
    });
  }
}
