import { type TimerHandle, unref } from './clock.js';
import type { AttemptError, Connected } from './connect-server.js';
import { failureFields, reportFailure } from './failure-events.js';
import type { LifeContext } from './life-context.js';
import { RecordKeeper } from './record-keeper.js';
import { RetryCount } from './retry-count.js';
import { ServerAttempts } from './server-attempts.js';
import { cleanServerInfo } from './server-info.js';
import type { CheckedServer } from './server-options.js';
import type { Failure, ServerDisplayInfo, ServerSnapshot, ServerState } from './server-state.js';
import { SignalBox } from './signal-box.js';

type Wake = 'reconnect' | 'end';

/** Where a life is. The connection belongs to the state, so that neither can be there without the other. */
interface Phase {
  readonly state: ServerState;
  readonly live: Connected | undefined;
}

/**
 * The life of one server as one loop: attempt, hold the connection, pause, again. All that happens to a server happens in this
 * order, so there is never more than one connection, or one process tree, of it.
 */
export class ServerLife {
  readonly id: string;
  readonly #context: LifeContext;
  readonly #attempts: ServerAttempts;
  readonly #keeper: RecordKeeper;
  readonly #retries: RetryCount;
  readonly #wake: SignalBox<Wake> = new SignalBox();
  readonly #abort: AbortController = new AbortController();
  readonly #running: Promise<void>;
  #config: CheckedServer;
  #phase: Phase;
  #serverInfo: ServerDisplayInfo | undefined;
  #unavailableSince: number | undefined;
  #settled = false;
  #outcomes: Array<() => void> = [];

  /**
   * @param after the end of an earlier life of the same id; this one begins then
   */
  constructor(id: string, config: CheckedServer, context: LifeContext, after?: Promise<void>) {
    this.id = id;
    this.#config = config;
    this.#context = context;
    this.#keeper = new RecordKeeper(id, context);
    this.#attempts = new ServerAttempts(id, config, context, (reply) => {
      const { live } = this.#phase;
      if (live !== undefined) this.#keeper.take(reply, live);
    });
    this.#retries = new RetryCount(context.backoff);
    this.#phase = { state: { state: 'idle', since: context.clock.now(), attempt: 0 }, live: undefined };
    this.#running = this.#run(after);
  }

  get config(): CheckedServer {
    return this.#config;
  }

  /** Takes over what does not concern the connection: the policy, `required`. */
  set config(config: CheckedServer) {
    this.#config = config;
  }

  /** The connection that stands. */
  get live(): Connected | undefined {
    return this.#phase.live;
  }

  get settled(): boolean {
    return this.#settled;
  }

  get snapshot(): ServerSnapshot {
    return {
      id: this.id,
      config: this.#config,
      state: this.#phase.state,
      record: this.#keeper.record,
      unavailableSince: this.#unavailableSince,
      settled: this.#settled,
      serverInfo: this.#serverInfo,
    };
  }

  /** Ends the connection, if there is one, and starts afresh; resolves when the attempt ended, well or badly. */
  async reconnect(): Promise<void> {
    if (this.#abort.signal.aborted) return;
    const outcome = new Promise<void>((resolve) => this.#outcomes.push(resolve));
    this.#retries.reset();
    this.#wake.raise('reconnect');
    await outcome;
  }

  /** Ends everything. Resolves when nothing is left; safe to call again. */
  async end(): Promise<void> {
    this.#abort.abort();
    this.#wake.raise('end');
    await this.#running;
  }

  async #run(after: Promise<void> | undefined): Promise<void> {
    const { signal } = this.#abort;
    await after;
    while (!signal.aborted) {
      const leave = await this.#context.gate.enter(signal);
      if (signal.aborted) break;
      const result = await this.#attempt();
      leave();
      if ('failure' in result) await this.#fail(result);
      else await this.#hold(result);
    }
    if (this.#phase.state.state !== 'removed')
      this.#enter({ state: 'removed', since: this.#now(), attempt: 0 });
    this.#tellOutcome();
  }

  async #attempt(): Promise<Connected | AttemptError> {
    const { attempt } = this.#retries;
    const { state } = this.#phase;
    const reason = 'reason' in state ? state.reason : undefined;
    if (this.#retries.isLooping && reason !== undefined) this.#enterLooping(reason, { retryAt: undefined });
    else this.#enter({ state: 'connecting', since: this.#now(), attempt, reason });
    return await this.#attempts.connect(attempt, this.#abort.signal);
  }

  async #fail(error: AttemptError): Promise<void> {
    const { failure } = error;
    if (this.#abort.signal.aborted) return await error.closed;
    const wake = this.#wake.next();
    const { attempt } = this.#retries;
    this.#retries.noteFailure(failure.kind);
    const retryMs = this.#enterFailure(failure);
    const { transport } = this.#config;
    reportFailure(this.#context.observer, this.id, failure, { transport, attempt, retryMs });
    this.#tellOutcome();
    await error.closed;
    await this.#pause(wake, retryMs);
  }

  async #hold(connected: Connected): Promise<void> {
    const { link } = connected;
    if (this.#abort.signal.aborted) return await link.close();
    const wake = this.#wake.next();
    const { clock, observer, backoff } = this.#context;
    const { attempt } = this.#retries;
    const connectedAt = this.#now();
    this.#serverInfo = cleanServerInfo(connected.client.getServerVersion());
    this.#keeper.take(connected.reply, connected);
    this.#enterConnected(connected, attempt);
    this.#tellOutcome();
    const stable = clock.setTimeout(() => {
      this.#retries.reset();
      if (this.#phase.state.state === 'crash-looping') this.#enterConnected(connected, attempt);
    }, backoff.stableMs);
    unref(stable);
    const end = await Promise.race([link.lost, wake]);
    clock.clearTimeout(stable);
    if (end === 'reconnect' || end === 'end') {
      const since = this.#now();
      if (end === 'end') this.#enter({ state: 'removed', since, attempt: 0 });
      else this.#enter({ state: 'connecting', since, attempt: 1, reason: undefined });
      return await link.close();
    }
    const connectedMs = this.#now() - connectedAt;
    this.#retries.noteLoss(connectedMs);
    const retryMs = this.#enterFailure(end);
    observer.emit('warn', 'server-lost', {
      ...failureFields(this.id, end),
      transport: link.kind,
      connectedMs,
      retryMs,
    });
    await link.close();
    return await this.#pause(wake, retryMs);
  }

  /** Waits, at most until the host wants something. */
  async #pause(wake: Promise<Wake>, delayMs: number | undefined): Promise<void> {
    const { clock } = this.#context;
    let timer: TimerHandle;
    const over = new Promise<void>((resolve) => {
      if (delayMs !== undefined) timer = clock.setTimeout(resolve, delayMs);
    });
    unref(timer);
    await Promise.race([wake, over]);
    clock.clearTimeout(timer);
  }

  #enterConnected(connected: Connected, attempt: number): void {
    const { state } = this.#phase;
    if (this.#retries.isLooping && 'reason' in state && state.reason !== undefined)
      return this.#enterLooping(state.reason, { retryAt: undefined, connected });
    this.#unavailableSince = undefined;
    const { era, protocolVersion, link } = connected;
    const since = this.#now();
    this.#enter(
      { state: 'connected', since, attempt, era, protocolVersion, transport: link.kind },
      connected,
    );
  }

  /** @returns the pause before the next attempt, or `undefined` when the host must act first */
  #enterFailure(reason: Failure): number | undefined {
    const since = this.#now();
    const attempt = this.#retries.attempt - 1;
    if (reason.kind === 'unauthorized') {
      this.#unavailableSince = undefined;
      this.#enter({ state: 'needs-auth', since, attempt, reason });
      return undefined;
    }
    this.#unavailableSince ??= since;
    const { delayMs, slow } = this.#retries.pause(this.#context.random());
    const retryAt = since + delayMs;
    if (!this.#retries.isLooping)
      this.#enter({ state: slow ? 'failed' : 'unavailable', since, attempt, reason, retryAt });
    else {
      const isNews = this.#phase.state.state !== 'crash-looping';
      this.#enterLooping(reason, { retryAt });
      const fields = { ...failureFields(this.id, reason), attempt, retryMs: delayMs };
      if (isNews) this.#context.observer.emit('error', 'server-crash-looping', fields);
    }
    return delayMs;
  }

  #enterLooping(reason: Failure, to: { retryAt: number | undefined; connected?: Connected }): void {
    const { state } = this.#phase;
    const since = state.state === 'crash-looping' ? state.since : this.#now();
    const { attempt } = this.#retries;
    const onTrial = to.connected !== undefined;
    this.#enter(
      { state: 'crash-looping', since, attempt, reason, retryAt: to.retryAt, onTrial },
      to.connected,
    );
  }

  #enter(state: ServerState, live?: Connected): void {
    const previous = this.#phase;
    this.#phase = { state, live };
    const { notify } = this.#context;
    notify('state', { id: this.id, state, previous: previous.state });
    if (previous.live !== live) notify('client', { id: this.id, client: live?.client });
  }

  /** An attempt ended, or everything did. */
  #tellOutcome(): void {
    const outcomes = this.#outcomes;
    this.#outcomes = [];
    for (const resolve of outcomes) resolve();
    if (this.#settled) return;
    this.#settled = true;
    this.#context.notify('settled', { id: this.id });
  }

  #now(): number {
    return this.#context.clock.now();
  }
}
