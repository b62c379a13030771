import type { AuthProvider, FetchLike, OAuthClientProvider, Transport } from '@modelcontextprotocol/client';

import {
  guardTransport,
  isOAuthProvider,
  shareRefresh,
  TokenTrail,
  watchRefusals,
  withoutRedirects,
} from './auth-guard.js';
import type { Clock } from './clock.js';
import { Deadline } from './deadline.js';
import { makeFailure } from './failure.js';
import { watchGivenUp } from './given-up.js';
import { explainAbsence, explainHttp, isUnauthorized, tooLarge, unauthorized } from './http-failure.js';
import { type FetchTrace, watchFetch } from './http-fetch.js';
import { discard, withinOrigin } from './http-redirect.js';
import type { Link } from './link.js';
import { PresenceCheck } from './presence-check.js';
import type { Sdk } from './sdk.js';
import type { CheckedHttpServer } from './server-options.js';
import type { Failure } from './server-state.js';
import { SessionRenewal } from './session-renewal.js';

/** How long the server gets to hear that its session ends, in ms. */
const goodbyeMs = 1_000;
/** How long it may take to find out whether credentials are good, in ms. */
const credentialsMs = 10_000;

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
      onGone: (error) => this.#lose(explainAbsence(error)),
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
    const loseAccess = (): void => this.#lose(unauthorized());
    watchRefusals(this.transport, (error) => isUnauthorized(error, sdk), loseAccess);
    watchGivenUp(this.transport, this.doubt);
    guardTransport(this.transport, (provider) =>
      shareRefresh(provider, {
        clock,
        trail: this.#trail,
        signal: () => this.#lifetime.signal,
        isStillGood: (response, token) => this.#isStillGood(response, token),
        onFailed: loseAccess,
      }),
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
    // A cached text needs no answer, so nothing has shown yet that its server is there, and still lets us in.
    if (isCached && !isSuccess(await this.#knock(this.#fetch, this.#lifetime.signal)))
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
   * @throws RedirectError for an answer that points elsewhere
   */
  async #knock(fetch: FetchLike, limit: AbortSignal, token?: string): Promise<number> {
    const headers = {
      ...Object.fromEntries(this.#config.headers),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 'mcp-instructions-check', method: 'ping' });
    const signal = AbortSignal.any([limit, this.#lifetime.signal]);
    const response = await withinOrigin(fetch)(this.#config.url, { method: 'POST', headers, body, signal });
    discard(response);
    return response.status;
  }

  /** A stream that is refused although messages are not is no matter of credentials, and no reason to ask a person for others. */
  async #isStillGood(response: Response, token: string | undefined): Promise<boolean> {
    if (this.kind === 'sse' || !this.#trail.isGet(response)) return false;
    const deadline = new Deadline(this.#clock, credentialsMs, this.#lifetime.signal);
    try {
      return (await deadline.race(this.#knock(this.#fetch, deadline.signal, token))) !== 401;
    } catch {
      return true;
    } finally {
      deadline.clear();
    }
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
      clock: this.#clock,
      signal: () => this.#lifetime.signal,
      onRenewed: (result) => this.onRenewed?.(result),
      onLost: (why) => this.#lose(makeFailure('connection-lost', why)),
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
      clock: this.#clock,
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

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}
