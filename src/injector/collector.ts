import type { TokenCounter } from '../cost/token-counter.js';
import { InstructionsError } from '../errors.js';
import type { Observer } from '../observe/observer.js';
import { showText } from '../instructions/show-text.js';
import { showValue } from '../instructions/show-value.js';
import type { Settings } from '../options.js';
import type { Clock } from '../servers/clock.js';
import type { ConnectionManager } from '../servers/connection-manager.js';
import { AdmittedTexts } from './admitted-texts.js';
import { AdoptedSources, type AdoptedSource, type AdoptOptions } from './adopted-sources.js';
import { BackgroundWork } from './background-work.js';
import { FirstTurnWait } from './first-turn-wait.js';
import { reviewOf, subjectOf, type Review } from './review.js';
import { newRecipient, type Recipient } from './recipient.js';
import { ServerViews, type ServerView } from './server-views.js';
import { Shares } from './shares.js';
import { TextChanges } from './text-changes.js';
import { TokenFits } from './token-fits.js';
import { TrustGate } from './trust-gate.js';
import { Trust } from './trust.js';
import { kindOf } from '../values.js';

/** What a collector works with. */
export interface CollectorParts {
  readonly settings: Settings;
  readonly connections: ConnectionManager;
  readonly observer: Observer;
  readonly clock: Clock;
  readonly counter: TokenCounter;
  /** SHA-256 in hex. */
  readonly sha256: (text: string) => string;
  /** The key of a text, as ledgers have it. */
  readonly hash: (text: string) => string;
}

/** How long closing waits for a pin that is being saved, in ms. */
const CLOSE_WAIT_MS = 2000;

/** Knows at any time what every server says and how much of it may be shown, and lets people approve it. */
export class Collector {
  readonly #parts: CollectorParts;
  readonly #adopted: AdoptedSources;
  readonly #texts: AdmittedTexts;
  readonly #work: BackgroundWork;
  readonly #trust: Trust;
  readonly #gate: TrustGate;
  readonly #shares: Shares;
  readonly #changes: TextChanges;
  readonly #views: ServerViews;
  readonly #wait: FirstTurnWait;

  constructor(parts: CollectorParts) {
    const { settings, connections, observer, clock, counter, sha256, hash } = parts;
    this.#parts = parts;
    this.#adopted = new AdoptedSources(clock, observer);
    this.#texts = new AdmittedTexts(observer, sha256, hash, counter);
    this.#work = new BackgroundWork(clock);
    this.#trust = new Trust(settings.policy, settings.pins, {
      hash: sha256,
      observer,
      clock,
      work: this.#work,
    });
    this.#gate = new TrustGate(this.#trust, observer);
    this.#shares = new Shares(settings, new TokenFits(counter, this.#work, hash));
    this.#changes = new TextChanges(observer);
    this.#views = new ServerViews({
      settings,
      texts: this.#texts,
      trust: this.#gate,
      shares: this.#shares,
      changes: this.#changes,
      clock,
      hash: sha256,
    });
    this.#wait = new FirstTurnWait(connections, settings.firstTurnWaitMs, clock);
    connections.on('instructions', ({ id }) => this.#receive(id));
    connections.on('state', ({ id, state }) => {
      const isThere = this.#adopted.has(id) || connections.status(id) !== undefined;
      if (state.state === 'removed' && !isThere) this.#forget(id);
    });
  }

  /** Connecting starts. */
  start(): void {
    this.#wait.start();
  }

  /** @throws InstructionsError `INVALID_OPTION` */
  adopt(id: string, source: AdoptedSource, options?: AdoptOptions): void {
    this.#adopted.adopt(id, source, options);
    this.#forget(id);
  }

  remove(id: string): void {
    this.#adopted.remove(id);
    this.#forget(id);
  }

  /**
   * Waits for what a first request waits for.
   *
   * @param recipient the conversation that the servers are looked at for
   * @param signal ends the wait
   * @returns gives all servers as they are when it is called, so that a later wait makes no request out of date
   */
  async collect(recipient: Recipient, signal: AbortSignal | undefined): Promise<() => readonly ServerView[]> {
    const { settings, clock } = this.#parts;
    if (!settings.disabled) await this.#wait.wait(signal);
    const readings = await this.#adopted.read();
    this.#trust.look();
    const end = clock.elapsed() + settings.firstTurnWaitMs;
    const look = (): readonly ServerView[] =>
      this.#views.collect(
        this.#parts.connections.snapshots(),
        // One that was taken out since it was read is not there any more.
        readings.filter((reading) => this.#adopted.has(reading.id)),
        recipient,
      );
    for (;;) {
      // Looking starts the work that is then waited for.
      look();
      const leftMs = end - clock.elapsed();
      if (!this.#work.isBusy || leftMs <= 0 || !(await this.#work.wait(leftMs, signal))) return look;
    }
  }

  /** A request that tells these texts, or told them before, is on record. */
  settle(views: readonly ServerView[], { shares }: Recipient): void {
    if (!this.#shares.hasTotal) return;
    for (const { id, share } of views) if (share !== undefined) shares().settle(id, share);
  }

  /** @throws InstructionsError `UNKNOWN_SERVER` */
  async review(id: string): Promise<Review> {
    const { counter, sha256 } = this.#parts;
    return await reviewOf(await this.#viewOf(id), { trust: this.#trust, counter, sha256 });
  }

  /** @throws InstructionsError `UNKNOWN_SERVER`, `STALE_APPROVAL`, `PINS_FAILED` */
  async approve(id: string, sha256: string): Promise<void> {
    const subject = subjectOf(await this.#viewOf(id));
    const wanted: unknown = typeof sha256 === 'string' ? sha256.toLowerCase() : sha256;
    if (subject === undefined || subject.sha256 !== wanted) {
      throw new InstructionsError(
        'STALE_APPROVAL',
        `approve "${showText(id)}": expected the hash of the text now offered (${subject?.sha256 ?? 'none'}), got ${
          typeof sha256 === 'string' ? showText(sha256) : kindOf(sha256)
        }`,
      );
    }
    await this.#trust.approve(subject);
  }

  /** Waits, within a bound, for what is being saved. */
  async close(): Promise<void> {
    await this.#work.wait(CLOSE_WAIT_MS, undefined);
  }

  /** Admits and counts a text when it comes, so that no request has to. */
  #receive(id: string): void {
    const snapshots = this.#parts.connections.snapshots();
    const snapshot = snapshots.find((candidate) => candidate.id === id);
    if (snapshot === undefined || this.#adopted.has(id)) return;
    const ids = new Set([...snapshots.map((other) => other.id), ...this.#adopted.ids]);
    this.#views.receive(snapshot, [...ids]);
  }

  async #viewOf(id: string): Promise<ServerView> {
    const readings = await this.#adopted.read();
    // A first use may be saved first, and a limit in tokens found out.
    for (;;) {
      const views = this.#views.collect(this.#parts.connections.snapshots(), readings, newRecipient());
      const view = views.find((candidate) => candidate.id === id);
      if (view === undefined) {
        throw new InstructionsError('UNKNOWN_SERVER', `expected the id of a server, got ${showValue(id)}`);
      }
      if (!this.#work.isBusy) return view;
      await this.#work.whenDone();
    }
  }

  #forget(id: string): void {
    this.#texts.forget(id);
    this.#changes.forget(id);
    this.#gate.forget(id);
  }
}
