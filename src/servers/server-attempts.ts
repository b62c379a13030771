import { momentOf } from './clock.js';
import { AttemptError, type Connected, connectServer } from './connect-server.js';
import { Deadline } from './deadline.js';
import { type CachedDiscover, DiscoverCache } from './discover-cache.js';
import { callHost } from './event-hub.js';
import { makeFailure } from './failure.js';
import type { RawReply } from './handshake-watch.js';
import type { LifeContext } from './life-context.js';
import type { Link, LinkKind } from './link.js';
import { openLink } from './open-link.js';
import { loadSdk } from './sdk.js';
import type { CheckedServer, Protocol } from './server-options.js';
import { NotHere } from './not-here.js';
import type { Failure, InstructionsSource } from './server-state.js';

/** How long a proven legacy verdict is believed before discover is asked again, in ms. */
const verdictMs = 3_600_000;

/** Makes the attempts to connect to one server, and remembers what they taught about its era. */
export class ServerAttempts {
  readonly #id: string;
  readonly #config: CheckedServer;
  readonly #context: LifeContext;
  readonly #onReply: (reply: RawReply, link: Link) => void;
  readonly #cache: DiscoverCache = new DiscoverCache();
  #verdict: { readonly since: number; readonly kind: LinkKind } | undefined;
  /** The newest connection; what it met with says whether the cache still holds. */
  #newest: Connected | undefined;

  constructor(
    id: string,
    config: CheckedServer,
    context: LifeContext,
    onReply: (reply: RawReply, link: Link) => void,
  ) {
    this.#id = id;
    this.#config = config;
    this.#context = context;
    this.#onReply = onReply;
  }

  /** One attempt under one deadline. */
  async connect(attempt: number, signal: AbortSignal): Promise<Connected | AttemptError> {
    const { clock, observer, clientInfo, capabilities, onClient } = this.#context;
    const totalMs = this.#config.connectTimeoutMs ?? this.#context.connectTimeoutMs;
    const protocol = this.#protocol();
    const remembered = protocol === 'auto' ? this.#remembered() : undefined;
    const startedAt = clock.elapsed();
    const server = this.#id;
    observer.emit('debug', 'server-connecting', {
      server,
      attempt,
      transport: this.#config.transport,
      protocol: typeof protocol === 'object' ? protocol.pin : remembered === undefined ? protocol : 'legacy',
    });
    const deadline = new Deadline(clock, totalMs, signal);
    try {
      const sdk = await deadline.race(loadSdk());
      const connected = await connectServer({
        kind: this.#config.transport,
        protocol,
        remembered,
        totalMs,
        deadline,
        sdk,
        clientInfo,
        capabilities,
        openLink: (kind) => openLink(server, this.#config, kind, sdk, observer, attempt === 1, clock),
        onClient: (client) =>
          callHost(
            () => onClient?.(server, client),
            (how) => observer.emit('warn', 'callback-failed', { server, reason: `onClient-${how}` }),
          ),
        onReply: this.#onReply,
        known: this.#known(attempt),
      });
      this.#learn(connected);
      observer.emit('info', 'server-connected', {
        server,
        attempt,
        transport: connected.link.kind,
        era: connected.era,
        version: connected.protocolVersion,
        source: sourceOf(connected),
        durationMs: Math.round(clock.elapsed() - startedAt),
      });
      return connected;
    } catch (error) {
      // What was believed of the server may be why.
      this.forget();
      if (error instanceof AttemptError) return error;
      // Nothing was opened: the SDK could not be loaded, or the attempt was over before it began.
      const failure = deadline.expired
        ? makeFailure('timed-out', `no connection within ${totalMs} ms`)
        : notLoaded(error, this.#config.transport);
      return new AttemptError(failure, Promise.resolve(), error);
    } finally {
      deadline.clear();
    }
  }

  #protocol(): Protocol {
    const wanted = this.#config.protocol ?? this.#context.protocol;
    return this.#config.transport === 'sse' && wanted === 'auto' ? 'legacy' : wanted;
  }

  /** A legacy verdict saves a probe, and with some servers a process; servers are updated, so it does not hold for ever. */
  #remembered(): LinkKind | undefined {
    const verdict = this.#verdict;
    if (verdict === undefined) return undefined;
    return this.#context.clock.elapsed() - verdict.since < verdictMs ? verdict.kind : undefined;
  }

  /** Keeps what a connection's newest discover reply said, for as long as it said. */
  remember(connected: Connected): void {
    const discover = connected.client.getDiscoverResult();
    const { last } = connected.watch;
    if (discover === undefined || last?.method !== 'server/discover') return;
    // A value that the SDK was not shown cannot be told again from its result.
    if (last.instructions === discover.instructions) this.#cache.put(discover, momentOf(this.#context.clock));
    else this.#cache.clear();
  }

  /** Forgets what the server said before: to other credentials, or as another server than it is now. */
  forget(): void {
    this.forgetVerdict();
    this.#cache.clear();
  }

  /** Lets the next attempt ask for the era. */
  forgetVerdict(): void {
    this.#verdict = undefined;
  }

  /**
   * A cached result needs no answer, so it is no evidence that a server is back: it serves only connections that the host asked for.
   * A new process must show that it answers, and asking for that is no dearer than asking for the text. Who is asked for tokens, or
   * carries the requests, may speak for another user by now, and what was said to one is not told under the name of another.
   */
  #known(attempt: number): CachedDiscover | undefined {
    const config = this.#config;
    if (attempt !== 1 || config.transport !== 'http') return undefined;
    if (config.authProvider !== undefined || config.fetch !== undefined) return undefined;
    if (this.#newest?.watch.hasTrouble === true) this.#cache.clear();
    return this.#cache.get(this.#context.clock.elapsed());
  }

  #learn(connected: Connected): void {
    this.#newest = connected;
    if (connected.era === 'legacy') this.#cache.clear();
    this.remember(connected);
    const { fallback, era } = connected;
    const { kind } = connected.link;
    if (fallback === 'proven') this.#verdict = { since: this.#context.clock.elapsed(), kind };
    else if (fallback !== undefined)
      this.#context.observer.emit('warn', 'era-chosen-by-timeout', {
        server: this.#id,
        transport: kind,
        era,
        reason: fallback,
      });
  }
}

function notLoaded(error: unknown, transport: CheckedServer['transport']): Failure {
  if (!(error instanceof NotHere)) return makeFailure('protocol-error', 'the client could not be loaded');
  return transport === 'stdio'
    ? makeFailure('spawn-failed', 'a server that runs as a process needs Node')
    : makeFailure('protocol-error', error.message);
}

function sourceOf(connected: Connected): InstructionsSource {
  if (connected.cachedAt !== undefined) return 'cache';
  return connected.reply.method === 'initialize' ? 'initialize' : 'discover';
}
