import { momentOf } from './clock.js';
import { AttemptError, type Connected, connectServer } from './connect-server.js';
import { Deadline } from './deadline.js';
import { type CachedDiscover, DiscoverCache } from './discover-cache.js';
import { callHost } from './event-hub.js';
import { makeFailure } from './failure.js';
import type { RawReply } from './handshake-watch.js';
import type { LifeContext } from './life-context.js';
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
  readonly #onReply: (reply: RawReply) => void;
  readonly #cache: DiscoverCache = new DiscoverCache();
  #legacySince: number | undefined;

  constructor(id: string, config: CheckedServer, context: LifeContext, onReply: (reply: RawReply) => void) {
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
    const startedAt = clock.elapsed();
    const server = this.#id;
    observer.emit('debug', 'server-connecting', {
      server,
      attempt,
      transport: this.#config.transport,
      protocol: typeof protocol === 'object' ? protocol.pin : protocol,
    });
    const deadline = new Deadline(clock, totalMs, signal);
    try {
      const sdk = await deadline.race(loadSdk());
      const connected = await connectServer({
        kind: this.#config.transport,
        protocol,
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

  /** A legacy verdict saves a probe, and with some servers a process; servers are updated, so it does not hold for ever. */
  #protocol(): Protocol {
    const wanted = this.#config.protocol ?? this.#context.protocol;
    if (this.#config.transport === 'sse' && wanted === 'auto') return 'legacy';
    const isFresh =
      this.#legacySince !== undefined && this.#context.clock.elapsed() - this.#legacySince < verdictMs;
    return wanted === 'auto' && isFresh ? 'legacy' : wanted;
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

  /** Forgets what was said to other credentials. */
  forget(): void {
    this.#cache.clear();
  }

  /**
   * A cached result needs no answer, so it is no evidence that a server is back: it serves only connections that the host asked for.
   * A new process must show that it answers, and asking for that is no dearer than asking for the text.
   */
  #known(attempt: number): CachedDiscover | undefined {
    const isOfUse = attempt === 1 && this.#config.transport === 'http';
    return isOfUse ? this.#cache.get(this.#context.clock.elapsed()) : undefined;
  }

  #learn(connected: Connected): void {
    this.remember(connected);
    if (connected.fallback === 'proven') this.#legacySince = this.#context.clock.elapsed();
    if (connected.fallback === 'timeout')
      this.#context.observer.emit('warn', 'era-chosen-by-timeout', {
        server: this.#id,
        transport: connected.link.kind,
        era: connected.era,
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
