import { ChainCache } from './conversation/chain-cache.js';
import type { LedgerData } from './conversation/ledger-data.js';
import { ExactCounter } from './cost/exact-counter.js';
import { TokenCounter } from './cost/token-counter.js';
import { BoundedCache } from './cost/bounded-cache.js';
import { InstructionsError, notExpected } from './errors.js';
import type { AdoptedSource, AdoptOptions } from './injector/adopted-sources.js';
import { Collector } from './injector/collector.js';
import { ConversationState } from './injector/conversation-state.js';
import { conversationOptions, type ConversationOptions } from './injector/conversation-options.js';
import { Conversation, type ConversationHost } from './injector/conversation.js';
import { fastSha256, textKeys } from './injector/fast-hash.js';
import { readyOptions, whenReady, type Readiness, type ReadyOptions } from './injector/readiness.js';
import { ReportBuilder } from './injector/report-builder.js';
import type { Review } from './injector/review.js';
import { UnknownOptions } from './injector/unknown-options.js';
import { createObserver } from './observe/create-observer.js';
import { resolveSettings, type Options } from './options.js';
import { systemClock, type Clock } from './servers/clock.js';
import { ConnectionManager } from './servers/connection-manager.js';
import { idInPath, unknownAdoptFields } from './servers/known-fields.js';
import { GuardedStore } from './stores/guarded-store.js';
import { kindOf } from './values.js';

export type { AdoptedSource, AdoptOptions, InstructionsSourceObject } from './injector/adopted-sources.js';
export type { Audience } from './injector/audience.js';
export type { ConversationOptions } from './injector/conversation-options.js';
export type { Conversation } from './injector/conversation.js';
export type { Outcome, Prepared, PrepareOptions } from './injector/prepared.js';
export type { Readiness, ReadyOptions } from './injector/readiness.js';
export type { Review } from './injector/review.js';
export type { TrustState } from './injector/trust.js';

/** How many conversations a process keeps in memory; the one used longest ago goes first. */
const MAX_CONVERSATIONS = 10_000;
/** Of how many conversations the last request is remembered: a memo that only saves time. */
const MAX_CHAINS = 256;

/** What tests replace. */
export interface Surroundings {
  readonly clock: Clock;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Gets what servers say about themselves in front of the model. One for each authorization context. */
export class Injector {
  /** The connections to the configured servers. */
  readonly connections: ConnectionManager;
  readonly #observer: ReturnType<typeof createObserver>;
  readonly #collector: Collector;
  readonly #exact: ExactCounter | undefined;
  readonly #host: ConversationHost;
  readonly #keeper: GuardedStore<LedgerData> | undefined;
  readonly #conversations: BoundedCache<ConversationState> = new BoundedCache(MAX_CONVERSATIONS);
  readonly #unnamed: WeakSet<ConversationState> = new WeakSet();
  readonly #chains: BoundedCache<ChainCache> = new BoundedCache(MAX_CHAINS);
  readonly #clock: Clock;
  readonly #unknown: UnknownOptions;
  #closing: Promise<void> | undefined;

  /** Use {@link createInjector}. */
  constructor(options: Options | undefined, { clock, environment }: Surroundings) {
    const { settings, ignored, unknown } = resolveSettings(options, environment);
    const observer = createObserver({
      logger: settings.logger,
      logLevel: settings.logLevel,
      clock: () => clock.elapsed(),
    });
    const sha256 = fastSha256();
    const hash = textKeys(sha256);
    this.#exact =
      settings.countWith === undefined
        ? undefined
        : new ExactCounter(settings.countWith, {
            now: () => clock.elapsed(),
            onFailure: (model, reason) => observer.emit('warn', 'count-failed', { model, reason }),
          });
    const counter = new TokenCounter({ exact: this.#exact });
    this.#observer = observer;
    this.#clock = clock;
    for (const setting of ignored) observer.emit('warn', 'setting-ignored', { ...setting });
    this.#unknown = new UnknownOptions(observer);
    this.#unknown.tell(unknown);
    this.connections = new ConnectionManager({
      connectTimeoutMs: settings.connectTimeoutMs,
      protocol: settings.protocol,
      observer,
      clock,
      ...(settings.clientInfo === undefined ? {} : { clientInfo: settings.clientInfo }),
      ...(settings.capabilities === undefined ? {} : { capabilities: settings.capabilities }),
      ...(settings.onClient === undefined ? {} : { onClient: settings.onClient }),
      ...(settings.refreshMs === undefined ? {} : { refreshMs: settings.refreshMs }),
      maxParallel: settings.maxParallel,
      onUnknown: (fields) => this.#unknown.tell(fields),
    });
    const { connections } = this;
    this.#collector = new Collector({ settings, connections, observer, clock, counter, sha256, hash });
    this.#keeper =
      settings.store === undefined
        ? undefined
        : new GuardedStore({
            store: settings.store,
            timeoutMs: settings.storeTimeoutMs,
            observer,
            timers: clock,
          });
    this.#host = {
      disabled: settings.disabled,
      observer,
      unknown: this.#unknown,
      reports: new ReportBuilder(counter, hash),
      hash,
      onReport: settings.onReport,
      views: (listener, signal) => this.#collector.collect(listener, signal),
      onTold: (views, listener) => this.#collector.settle(views, listener),
      onUse: (state) => this.#use(state),
    };
    this.connections.set(settings.servers);
    this.#collector.start();
  }

  /**
   * Adopts a client, or another source, that the host owns. An id that was adopted before is replaced.
   *
   * @throws InstructionsError `INVALID_OPTION`
   */
  adopt(id: string, source: AdoptedSource, options?: AdoptOptions): void {
    this.#assertOpen();
    this.#collector.adopt(id, source, options);
    this.#unknown.tell(unknownAdoptFields(options).map((field) => `adopt.${idInPath(id)}.${field}`));
  }

  /** Takes out a connection or an adopted source. An unknown id is a no-op. */
  async remove(id: string): Promise<void> {
    this.#collector.remove(id);
    await this.connections.remove(id);
  }

  /**
   * Opens a conversation. The same id gives the same history of what was told.
   *
   * @param id the host's name for it, such as a chat's id; without one nobody else can open it
   * @throws InstructionsError `INVALID_OPTION`, `INVALID_LEDGER`
   */
  conversation(id?: string, options?: ConversationOptions): Conversation {
    this.#assertOpen();
    this.#unknown.check('conversation', options, conversationOptions);
    const { servers, ledger } = options ?? {};
    checkAudience(servers);
    const state = this.#open(id);
    if (ledger !== undefined) state.restore(ledger);
    return new Conversation(state, this.#host, servers);
  }

  /**
   * Waits until the first attempt of every server ended, well or badly, or the wait is over; no longer where a required server's failed.
   *
   * @throws InstructionsError `REQUIRED_SERVER` when a server marked `required` did not connect; `cause` is the `Failure` of its state
   */
  async ready(options?: ReadyOptions): Promise<Readiness> {
    this.#unknown.check('ready', options, readyOptions);
    return await whenReady(this.connections, this.#clock, options ?? {});
  }

  /**
   * What a person must see before trusting a server's text.
   *
   * @throws InstructionsError `UNKNOWN_SERVER`
   */
  async review(id: string): Promise<Review> {
    return await this.#collector.review(id);
  }

  /**
   * Approves exactly the text that was reviewed, and writes it to the pin file where `pins` is a path.
   *
   * @param sha256 what the review showed
   * @throws InstructionsError `UNKNOWN_SERVER`; `STALE_APPROVAL` when the server now says something else; `PINS_FAILED` when the pin
   * file cannot be read or written, and nothing was approved
   */
  async approve(id: string, sha256: string): Promise<void> {
    await this.#collector.approve(id, sha256);
  }

  /** Ends every connection and process, within a bound. Safe to call twice and while connecting. */
  async close(): Promise<void> {
    this.#closing ??= this.#close();
    await this.#closing;
  }

  /** The same as {@link Injector.close}. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #close(): Promise<void> {
    this.#exact?.close();
    await this.connections.close();
    await this.#collector.close();
    await this.#keeper?.flush();
    await this.#observer.flush();
  }

  #assertOpen(): void {
    if (this.#closing !== undefined) throw new InstructionsError('CLOSED', 'the injector is closed');
  }

  #open(id: string | undefined): ConversationState {
    if (id !== undefined && (typeof id !== 'string' || id === '')) {
      throw notExpected('INVALID_OPTION', 'conversation: id', 'a string that is not empty', kindOf(id));
    }
    if (id === undefined) {
      const unnamed = new ConversationState(globalThis.crypto.randomUUID(), this.#keeper, this.#observer);
      this.#unnamed.add(unnamed);
      return unnamed;
    }
    let state = this.#conversations.get(id);
    if (state === undefined) {
      state = new ConversationState(id, this.#keeper, this.#observer);
      this.#conversations.set(id, state);
    }
    return state;
  }

  /** Keeps what is in use: the conversation used longest ago goes first, whenever it was opened. */
  #use(state: ConversationState): ChainCache {
    const { id } = state;
    if (this.#conversations.get(id) === undefined && !this.#unnamed.has(state)) {
      this.#conversations.set(id, state);
    }
    let chains = this.#chains.get(id);
    if (chains === undefined) {
      chains = new ChainCache();
      this.#chains.set(id, chains);
    }
    return chains;
  }
}

function checkAudience(servers: unknown): void {
  const isAudience =
    servers === undefined ||
    typeof servers === 'function' ||
    (Array.isArray(servers) && servers.every((id) => typeof id === 'string'));
  if (isAudience) return;
  const got = Array.isArray(servers) ? 'an array of other things' : kindOf(servers);
  throw notExpected('INVALID_OPTION', 'conversation: servers', 'an array of ids or a function', got);
}

/**
 * Starts to connect to the configured servers and collects what they say about themselves.
 *
 * @param options everything is optional
 * @throws InstructionsError `INVALID_OPTION`, `INVALID_SERVER` naming the field, what was expected and what came
 */
export function createInjector(options?: Options): Injector {
  const environment = (globalThis as { process?: { env?: Record<string, string | undefined> } }).process?.env;
  return new Injector(options, { clock: systemClock, environment: environment ?? {} });
}
