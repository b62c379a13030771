import { type Moment, momentOf } from './clock.js';
import type { Connected } from './connect-server.js';
import { failureFields } from './failure-events.js';
import type { LifeContext } from './life-context.js';
import type { Link } from './link.js';
import type { RetryCount } from './retry-count.js';
import type { Failure, ServerState } from './server-state.js';

/** Where a life is. The connection belongs to the state, so that neither can be there without the other. */
export interface Phase {
  readonly state: ServerState;
  readonly live?: Connected | undefined;
  /** While credentials are awaited: the link that wants them. */
  readonly waiting?: Link | undefined;
}

/** The one state of one server, and every way into another. */
export class LifeState {
  readonly #id: string;
  readonly #context: LifeContext;
  readonly #retries: RetryCount;
  #phase: Phase;
  #unavailableSince: Moment | undefined;
  #retryDueAt: number | undefined;
  #isOver = false;

  constructor(id: string, context: LifeContext, retries: RetryCount) {
    this.#id = id;
    this.#context = context;
    this.#retries = retries;
    this.#phase = { state: { state: 'idle', since: context.clock.now(), attempt: 0 } };
  }

  get phase(): Phase {
    return this.#phase;
  }

  /** Since when there is no connection that counts, in ms since 1970. */
  get unavailableSince(): number | undefined {
    return this.#unavailableSince?.now;
  }

  /** The same moment, to measure with. */
  get awaySince(): number | undefined {
    return this.#unavailableSince?.elapsed;
  }

  /** When the next attempt is due, in ms of the clock that is never set; `undefined` while the host must act first. */
  get retryDueAt(): number | undefined {
    return this.#retryDueAt;
  }

  /** An attempt begins. */
  connecting(): void {
    const { attempt } = this.#retries;
    const { state } = this.#phase;
    const reason = 'reason' in state ? state.reason : undefined;
    if (this.#retries.isLooping && reason !== undefined) this.#looping(reason, undefined);
    else this.#enter({ state: { state: 'connecting', since: this.#now(), attempt, reason } });
  }

  /** A connection stands; in a crash loop it is on trial until it proves stable. */
  connected(live: Connected, attempt: number): void {
    const { state } = this.#phase;
    const { era, protocolVersion, link } = live;
    if (this.#retries.isLooping && 'reason' in state && state.reason !== undefined)
      return this.#looping(state.reason, undefined, live);
    this.#unavailableSince = undefined;
    const since = this.#now();
    this.#enter({
      state: { state: 'connected', since, attempt, era, protocolVersion, transport: link.kind },
      live,
    });
  }

  /**
   * An attempt failed, or a connection was lost.
   *
   * @returns the pause before the next attempt, in ms, or `undefined` when the host must act first
   */
  failed(reason: Failure, link: Link | undefined): number | undefined {
    const moment = momentOf(this.#context.clock);
    const since = moment.now;
    this.#retryDueAt = undefined;
    const attempt = this.#retries.attempt - 1;
    if (reason.kind === 'unauthorized') {
      this.#unavailableSince = undefined;
      this.#enter({ state: { state: 'needs-auth', since, attempt, reason }, waiting: link });
      return undefined;
    }
    this.#unavailableSince ??= moment;
    const { delayMs: ownMs, slow } = this.#retries.pause(this.#context.random());
    const delayMs = Math.max(ownMs, reason.retryAfterMs ?? 0);
    const retryAt = since + delayMs;
    this.#retryDueAt = moment.elapsed + delayMs;
    if (!this.#retries.isLooping)
      this.#enter({ state: { state: slow ? 'failed' : 'unavailable', since, attempt, reason, retryAt } });
    else {
      const isNews = this.#phase.state.state !== 'crash-looping';
      this.#looping(reason, retryAt);
      const fields = { ...failureFields(this.#id, reason), attempt, retryMs: delayMs };
      if (isNews) this.#context.observer.emit('error', 'server-crash-looping', fields);
    }
    return delayMs;
  }

  /** The server was taken out: from now on there is no news of it but its end. */
  leave(): void {
    this.#isOver = true;
  }

  /** Everything is over. */
  removed(): void {
    if (this.#phase.state.state !== 'removed')
      this.#enter({ state: { state: 'removed', since: this.#now(), attempt: 0 } });
  }

  #looping(reason: Failure, retryAt: number | undefined, live?: Connected): void {
    const { state } = this.#phase;
    const since = state.state === 'crash-looping' ? state.since : this.#now();
    const { attempt } = this.#retries;
    const onTrial = live !== undefined;
    this.#enter({ state: { state: 'crash-looping', since, attempt, reason, retryAt, onTrial }, live });
  }

  #enter(phase: Phase): void {
    if (this.#isOver && phase.state.state !== 'removed') return;
    const previous = this.#phase;
    this.#phase = phase;
    const { notify } = this.#context;
    notify('state', { id: this.#id, state: phase.state, previous: previous.state });
    const client = phase.live?.client;
    // A listener may just have taken the server out.
    const isNews = !this.#isOver || client === undefined;
    if (previous.live !== phase.live && isNews) notify('client', { id: this.#id, client });
  }

  #now(): number {
    return this.#context.clock.now();
  }
}
