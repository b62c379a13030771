import type { InstructionsError } from '../errors.js';
import { type TimerHandle, unref } from './clock.js';
import type { AttemptError, Connected } from './connect-server.js';
import { CodeExchange } from './code-exchange.js';
import { failureFields, reportFailure } from './failure-events.js';
import type { LifeContext } from './life-context.js';
import { LifeState } from './life-state.js';
import { RecordKeeper } from './record-keeper.js';
import { refreshInstructions } from './refresh.js';
import { RetryCount } from './retry-count.js';
import { ServerAttempts } from './server-attempts.js';
import { cleanServerInfo } from './server-info.js';
import type { CheckedServer } from './server-options.js';
import type { Failure, ServerDisplayInfo, ServerSnapshot } from './server-state.js';
import { SignalBox } from './signal-box.js';

type Wake = 'reconnect' | 'end';

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
  readonly #state: LifeState;
  readonly #wake: SignalBox<Wake> = new SignalBox();
  readonly #abort: AbortController = new AbortController();
  readonly #exchange: CodeExchange;
  readonly #running: Promise<void>;
  #config: CheckedServer;
  #serverInfo: ServerDisplayInfo | undefined;
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
    this.#retries = new RetryCount(context.backoff);
    this.#state = new LifeState(id, context, this.#retries);
    this.#attempts = new ServerAttempts(id, config, context, (reply, link) => {
      // The first reply counts once the whole handshake is done, and not before; one of an earlier connection never.
      if (this.live?.link === link && !this.#abort.signal.aborted) this.#keeper.take(reply, this.live);
    });
    this.#exchange = new CodeExchange(id, context.clock, this.#abort.signal, {
      totalMs: () => this.#totalMs,
      finish: () => this.#state.phase.waiting?.finishAuth,
      connect: async () => {
        this.#attempts.forget();
        await this.reconnect();
      },
    });
    this.#running = this.#run(after).catch(() => {
      // Nothing in the loop throws but a clock of the host's; an end that is told is better than an error nobody hears.
      this.#state.removed();
      this.#tellOutcome();
    });
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
    return this.#state.phase.live;
  }

  /** How long one attempt may take, and one question, in ms. */
  get #totalMs(): number {
    return this.#config.connectTimeoutMs ?? this.#context.connectTimeoutMs;
  }

  get settled(): boolean {
    return this.#settled;
  }

  get snapshot(): ServerSnapshot {
    return {
      id: this.id,
      config: this.#config,
      state: this.#state.phase.state,
      record: this.#keeper.record,
      unavailableSince: this.#state.unavailableSince,
      awaySince: this.#state.awaySince,
      settled: this.#settled,
      serverInfo: this.#serverInfo,
    };
  }

  /** Ends the connection, if there is one, and starts afresh; resolves when the attempt ended, well or badly. */
  async reconnect(): Promise<void> {
    if (this.#abort.signal.aborted) return;
    const outcome = new Promise<void>((resolve) => this.#outcomes.push(resolve));
    this.#retries.reset();
    this.#attempts.forgetVerdict();
    this.#wake.raise('reconnect');
    await outcome;
  }

  /**
   * Hands in what the authorization server gave, and connects.
   *
   * @throws InstructionsError `NOT_CONNECTED` when the server does not wait for a code, or the exchange takes too long; `CLOSED` or
   *   `UNKNOWN_SERVER` when this life ends meanwhile; what the SDK throws when the code is refused
   */
  async finishAuth(code: string | URLSearchParams): Promise<void> {
    await this.#exchange.run(code);
  }

  /**
   * Asks for the instructions again.
   *
   * @returns whether the server answered; `undefined` without a connection
   */
  async refresh(): Promise<boolean | undefined> {
    const { live } = this;
    if (live === undefined) return undefined;
    const isFresh = await refreshInstructions(live, this.#totalMs);
    // What an earlier connection says, or fails to say, is about nothing that stands now.
    if (this.live !== live) return false;
    if (isFresh) this.#attempts.remember(live);
    else this.#attempts.forget();
    return isFresh;
  }

  /**
   * Ends everything. Resolves when nothing is left; safe to call again.
   *
   * @param why what calls that are under way reject with
   */
  async end(why: InstructionsError): Promise<void> {
    this.#state.leave();
    this.#abort.abort(why);
    this.#wake.raise('end');
    await this.#running;
  }

  async #run(after: Promise<void> | undefined): Promise<void> {
    const { signal } = this.#abort;
    await after;
    while (!signal.aborted) {
      const leave = await this.#enterGate(signal);
      if (signal.aborted) {
        leave();
        break;
      }
      this.#state.connecting();
      const result = await this.#attempts.connect(this.#retries.attempt, signal);
      leave();
      if ('failure' in result) await this.#fail(result);
      else await this.#hold(result);
    }
    this.#state.removed();
    this.#tellOutcome();
  }

  /** Only what starts a process takes power from others. */
  async #enterGate(signal: AbortSignal): Promise<() => void> {
    if (this.#config.transport !== 'stdio') return () => {};
    return await this.#context.gate.enter(signal, this.#retries.attempt);
  }

  async #fail(error: AttemptError): Promise<void> {
    if (this.#abort.signal.aborted) return await error.closed;
    const { failure } = error;
    const wake = this.#wake.next();
    const { attempt } = this.#retries;
    this.#retries.noteFailure(failure.kind);
    const retryMs = this.#state.failed(failure, error.link);
    const { transport } = this.#config;
    reportFailure(this.#context.observer, this.id, failure, { transport, attempt, retryMs });
    this.#tellOutcome();
    await error.closed;
    await this.#pause(wake);
  }

  async #hold(connected: Connected): Promise<void> {
    const { link } = connected;
    if (this.#abort.signal.aborted) return await link.close();
    const wake = this.#wake.next();
    const { attempt } = this.#retries;
    const connectedAt = this.#context.clock.elapsed();
    this.#serverInfo = cleanServerInfo(connected.client.getServerVersion());
    this.#keeper.take(connected.reply, connected);
    this.#state.connected(connected, attempt);
    this.#tellOutcome();
    const stopTimers = this.#startTimers(connected, attempt);
    const end = await Promise.race([link.lost, wake]);
    stopTimers();
    if (end === 'reconnect') this.#state.connecting();
    else if (end === 'end') this.#state.removed();
    else return await this.#lose(connected, end, connectedAt, wake);
    return await link.close();
  }

  async #lose(
    connected: Connected,
    failure: Failure,
    connectedAt: number,
    wake: Promise<Wake>,
  ): Promise<void> {
    const { link } = connected;
    const connectedMs = Math.round(this.#context.clock.elapsed() - connectedAt);
    this.#retries.noteLoss(connectedMs);
    if (failure.kind === 'unauthorized') this.#attempts.forget();
    const retryMs = this.#state.failed(failure, link);
    const fields = { ...failureFields(this.id, failure), transport: link.kind, connectedMs, retryMs };
    this.#context.observer.emit('warn', 'server-lost', fields);
    await link.close();
    await this.#pause(wake);
  }

  /** What goes on while a connection stands. @returns what ends it */
  #startTimers(connected: Connected, attempt: number): () => void {
    const { clock, backoff, refreshMs } = this.#context;
    const stable = clock.setTimeout(() => {
      this.#retries.reset();
      if (this.#state.phase.state.state === 'crash-looping') this.#state.connected(connected, attempt);
    }, backoff.stableMs);
    unref(stable);
    let again: TimerHandle;
    const refreshLater = (delayMs: number): void => {
      again = clock.setTimeout(() => {
        void this.refresh().finally(() => {
          if (this.live === connected) refreshLater(delayMs);
        });
      }, delayMs);
      unref(again);
    };
    if (refreshMs !== undefined && connected.link.kind !== 'stdio') refreshLater(refreshMs);
    return () => {
      clock.clearTimeout(stable);
      clock.clearTimeout(again);
    };
  }

  /** Waits until the next attempt is due, at most until the host wants something. */
  async #pause(wake: Promise<Wake>): Promise<void> {
    const { clock } = this.#context;
    const dueAt = this.#state.retryDueAt;
    let timer: TimerHandle;
    const due = new Promise<void>((resolve) => {
      // The pause began with the failure; ending the processes may have taken a part of it.
      if (dueAt !== undefined) timer = clock.setTimeout(resolve, Math.max(0, dueAt - clock.elapsed()));
    });
    unref(timer);
    await Promise.race([wake, due]);
    clock.clearTimeout(timer);
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
}
