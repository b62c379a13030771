import type { Client } from '@modelcontextprotocol/client';

import { InstructionsError } from '../errors.js';
import { showText } from '../instructions/show-text.js';
import { defaultBackoff } from './backoff.js';
import { checkEntries } from './check-entries.js';
import { checkCode, checkId, checkListener, checkServers } from './check-arguments.js';
import { systemClock } from './clock.js';
import type { ConnectionEvents, ConnectionListener, ConnectionManagerOptions } from './connection-types.js';
import { EventHub } from './event-hub.js';
import { guardClient } from './guard-client.js';
import type { LifeContext } from './life-context.js';
import { packageInfo } from './package-info.js';
import { isSameConnection } from './same-configuration.js';
import type { CheckedServer, ServerConfig } from './server-config.js';
import { ServerLife } from './server-life.js';
import type { InstructionsRecord, ServerSnapshot, ServerStatus } from './server-state.js';
import { toStatus } from './server-status.js';
import { StartGate } from './start-gate.js';

const defaultConnectTimeoutMs = 30_000;
const defaultMaxParallel = 16;

/** Owns the connections to the configured servers: one life for each id. A server that fails is data, never an exception. */
export class ConnectionManager {
  readonly #context: LifeContext;
  readonly #hub: EventHub<ConnectionEvents>;
  readonly #lives: Map<string, ServerLife> = new Map();
  /** Lives that are ending; a new life of the same id waits for them, so that there is one process of it at a time. */
  readonly #ending: Map<string, Promise<void>> = new Map();
  readonly #onUnknown: (fields: readonly string[]) => void;
  /** Called when a server settled, or one that had not went away. */
  readonly #waits: Set<() => void> = new Set();
  #closing: Promise<void> | undefined;

  constructor(options: ConnectionManagerOptions) {
    const clock = options.clock ?? systemClock;
    const { observer } = options;
    this.#onUnknown = options.onUnknown ?? (() => {});
    const tellFailure = (server: string, what: string): void =>
      observer.emit('warn', 'callback-failed', { server, reason: what });
    this.#hub = new EventHub((name, { id }, how) => tellFailure(id, `${name}-${how}`));
    this.#context = {
      clock,
      observer,
      connectTimeoutMs: options.connectTimeoutMs ?? defaultConnectTimeoutMs,
      protocol: options.protocol ?? 'auto',
      clientInfo: options.clientInfo ?? packageInfo,
      capabilities: options.capabilities,
      onClient: (id, client) => {
        guardClient(client, (slot, how) => tellFailure(id, `${slot}-${how}`));
        return options.onClient?.(id, client);
      },
      backoff: defaultBackoff,
      gate: new StartGate(options.maxParallel ?? defaultMaxParallel, clock),
      refreshMs: options.refreshMs,
      random: Math.random,
      notify: (name, event) => {
        this.#hub.emit(name, event);
        if (name === 'settled') this.#checkWaits();
      },
    };
  }

  /**
   * Adds a server and starts to connect at once. An id that is there is replaced; a server that is `disabled` is not started, and an id that is there goes.
   *
   * @throws InstructionsError `INVALID_SERVER` for a wrong id or configuration, `CLOSED` after `close()`
   */
  add(id: string, config: ServerConfig): void {
    this.#mustBeOpen();
    checkId('add', id);
    const checked = checkEntries([[id, config]], this.#onUnknown).get(id);
    if (checked === undefined) void this.remove(id);
    else this.#put(id, checked);
  }

  /**
   * Reloads: servers that are not named, or `disabled`, go, changed ones are replaced, others stay connected. Nothing changes when one
   * configuration is wrong.
   *
   * @throws InstructionsError `INVALID_SERVER`, `CLOSED`
   */
  set(servers: Readonly<Record<string, ServerConfig>> | ReadonlyMap<string, ServerConfig>): void {
    this.#mustBeOpen();
    checkServers(servers);
    const entries = servers instanceof Map ? [...servers] : Object.entries(servers);
    const checked = checkEntries(entries, this.#onUnknown);
    // All at once: the log of the host hears of each, and may add others there.
    const gone = [...this.#lives.keys()].filter((id) => !checked.has(id));
    for (const id of gone) void this.remove(id);
    for (const [id, config] of checked) {
      const life = this.#lives.get(id);
      if (life !== undefined && isSameConnection(life.config, config)) life.config = config;
      else this.#put(id, config);
    }
  }

  /** Takes a server out; resolves when its connection and its processes are gone. An unknown id is a no-op. */
  async remove(id: string): Promise<void> {
    checkId('remove', id);
    const life = this.#lives.get(id);
    if (life === undefined) return;
    const ended = this.#end(life, wentAway(id, 'taken out'), () => this.#lives.delete(id));
    this.#context.observer.emit('info', 'server-removed', { server: id });
    await ended;
  }

  /** The state of every server, in the order in which they were added, or of one. Plain JSON. */
  status(): readonly ServerStatus[];
  status(id: string): ServerStatus | undefined;
  status(id?: string): readonly ServerStatus[] | ServerStatus | undefined {
    if (id === undefined) return this.snapshots().map(toStatus);
    checkId('status', id);
    const life = this.#lives.get(id);
    return life === undefined ? undefined : toStatus(life.snapshot);
  }

  /** The client to call tools with; `undefined` while there is no connection. A reconnect makes a new one: see the `client` event. */
  client(id: string): Client | undefined {
    checkId('client', id);
    return this.#lives.get(id)?.live?.client;
  }

  /**
   * Ends the connection, if there is one, and connects anew at once; resolves when that attempt ended, well or badly.
   *
   * @throws InstructionsError `UNKNOWN_SERVER`, `CLOSED`
   */
  async reconnect(id: string): Promise<void> {
    checkId('reconnect', id);
    await this.#life(id).reconnect();
  }

  /**
   * Pulls a fresh copy of the instructions over the live connection.
   *
   * @returns the new record, or `undefined` when the server gave no answer
   * @throws InstructionsError `UNKNOWN_SERVER`, `NOT_CONNECTED`, `CLOSED`
   */
  async refresh(id: string): Promise<InstructionsRecord | undefined> {
    checkId('refresh', id);
    const life = this.#life(id);
    const isFresh = await life.refresh();
    if (isFresh === undefined)
      throw new InstructionsError('NOT_CONNECTED', `refresh: server "${showText(id)}" is not connected`);
    return isFresh ? life.snapshot.record : undefined;
  }

  /**
   * Goes on where a server waits for credentials (`needs-auth`): hands in what the authorization server gave and connects; resolves
   * when that attempt ended, well or badly.
   *
   * @param code the code, or the whole query of the callback
   * @throws InstructionsError `UNKNOWN_SERVER`, also when the server is taken out meanwhile; `NOT_CONNECTED` when it does not wait for a
   * code, or the code is not exchanged within the time of one attempt to connect; `CLOSED` when everything is closed, or is meanwhile; what the SDK throws
   * when the code is refused
   */
  async finishAuth(id: string, code: string | URLSearchParams): Promise<void> {
    checkId('finishAuth', id);
    checkCode(code);
    await this.#life(id).finishAuth(code);
  }

  /** Listens. @returns a function that takes the listener off */
  on<Name extends keyof ConnectionEvents>(event: Name, listener: ConnectionListener<Name>): () => void {
    checkListener(event, listener);
    return this.#hub.on(event, listener);
  }

  /**
   * Every server with its newest record, in the order in which they were added.
   *
   * @internal
   */
  snapshots(): readonly ServerSnapshot[] {
    return [...this.#lives.values()].map((life) => life.snapshot);
  }

  /** Whether the first attempt of every server has ended, well or badly. */
  get settled(): boolean {
    return [...this.#lives.values()].every((life) => life.settled);
  }

  /** Resolves when {@link settled}; rejects with the signal's reason when it aborts first. */
  async whenSettled(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    if (this.settled) return;
    await new Promise<void>((resolve, reject) => {
      const finish = (): void => {
        this.#waits.delete(check);
        signal?.removeEventListener('abort', abort);
      };
      const check = (): void => {
        if (!this.settled) return;
        finish();
        resolve();
      };
      const abort = (): void => {
        finish();
        reject(signal?.reason instanceof Error ? signal.reason : new Error('aborted'));
      };
      this.#waits.add(check);
      signal?.addEventListener('abort', abort, { once: true });
    });
  }

  /**
   * Whether `close()` was called.
   *
   * @internal
   */
  get isClosed(): boolean {
    return this.#closing !== undefined;
  }

  /** Ends every connection and every process. Bounded; safe to call again, and while connecting. */
  close(): Promise<void> {
    // Later, so that code of the host that runs while everything ends finds this closed.
    this.#closing ??= Promise.resolve().then(() => this.#close());
    return this.#closing;
  }

  /** The same as {@link ConnectionManager.close}. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #close(): Promise<void> {
    const lives = [...this.#lives.values()].reverse();
    const why = new InstructionsError('CLOSED', 'the connection manager was closed meanwhile');
    await Promise.all([...lives.map((life) => this.#end(life, why)), ...this.#ending.values()]);
  }

  #put(id: string, config: CheckedServer): void {
    const old = this.#lives.get(id);
    const begin = (after: Promise<void> | undefined): void => {
      this.#lives.set(id, new ServerLife(id, config, this.#context, after));
    };
    if (old === undefined) begin(this.#ending.get(id));
    else void this.#end(old, wentAway(id, 'replaced'), begin);
  }

  /**
   * @param follow files what is there instead. Ending runs code of the host, which may come back here, so all is filed before
   * @returns resolves when nothing of the life is left
   */
  #end(
    life: ServerLife,
    why: InstructionsError,
    follow: (ended: Promise<void>) => void = () => {},
  ): Promise<void> {
    const { id } = life;
    let finish = (): void => {};
    const ended = new Promise<void>((resolve) => {
      finish = resolve;
    });
    this.#ending.set(id, ended);
    follow(ended);
    void life.end(why).finally(() => {
      if (this.#ending.get(id) === ended) this.#ending.delete(id);
      finish();
    });
    this.#checkWaits();
    return ended;
  }

  #checkWaits(): void {
    for (const check of this.#waits) check();
  }

  #life(id: string): ServerLife {
    this.#mustBeOpen();
    const life = this.#lives.get(id);
    if (life === undefined) throw new InstructionsError('UNKNOWN_SERVER', `no server "${showText(id)}"`);
    return life;
  }

  #mustBeOpen(): void {
    if (this.#closing !== undefined)
      throw new InstructionsError('CLOSED', 'the connection manager is closed');
  }
}

function wentAway(id: string, how: string): InstructionsError {
  return new InstructionsError('UNKNOWN_SERVER', `server "${showText(id)}" was ${how} meanwhile`);
}
