import { InstructionsError } from '../errors.js';
import { showText } from '../instructions/show-text.js';
import type { Observer } from '../observe/observer.js';
import type { TrustPolicy } from '../options.js';
import type { Clock } from '../servers/clock.js';
import type { BackgroundWork } from './background-work.js';
import { PinKeeper, type PinKeeperParts } from './trust/pin-keeper.js';
import { approve, approvedFor, isApproved, type PinnedText, type Pins, type Speaker } from './trust/pins.js';

/**
 * How a text stands to the pins. `new`: nothing was approved of this server. `changed`: something else was. `unknown`: the pin file is not
 * read yet, or a first use not saved yet. `pins-failed`: the pin file cannot be used, so that nothing counts as approved. `pin-not-saved`:
 * a first use that could not be written down, which counts as none.
 */
export type TrustState = 'approved' | 'new' | 'changed' | 'unknown' | 'pins-failed' | 'pin-not-saved';

/** A text that someone wants shown. */
export interface TrustSubject extends Speaker {
  /** As received. */
  readonly text: string;
  /** Of the text as received. */
  readonly sha256: string;
}

/** How long after a first use that could not be saved it is tried again, in ms. */
const SAVE_AGAIN_MS = 30_000;

/** What can be done about it. */
const HINTS: ReadonlyMap<string, string> = new Map([
  ['locked', '; when no other process is writing it, delete the `.lock` file beside it'],
  ['timed-out', '; the disk that it is on does not answer'],
  ['too-large', '; it may have 8 MiB'],
]);

/** Decides which texts may be shown, by the hash of the text as received. */
export class Trust {
  readonly #policy: TrustPolicy;
  readonly #keeper: PinKeeper;
  readonly #observer: Observer;
  readonly #clock: Clock;
  readonly #work: BackgroundWork;
  /** First uses by identity and hash: being saved, or not to be tried again before a time. */
  readonly #firstUses: Map<string, { until: number }> = new Map();

  /**
   * @param policy what must hold before a text is shown
   * @param pins identity to approved SHA-256; a path is a pin file, which is read at once unless the policy needs no pins
   */
  constructor(
    policy: TrustPolicy,
    pins: string | Readonly<Record<string, string>> | undefined,
    parts: PinKeeperParts & { readonly work: BackgroundWork },
  ) {
    this.#policy = policy;
    this.#observer = parts.observer;
    this.#clock = parts.clock;
    this.#work = parts.work;
    this.#keeper = new PinKeeper(pins, parts);
    if (policy !== 'allow') this.look();
  }

  get policy(): TrustPolicy {
    return this.#policy;
  }

  /** Looks, in the background and not too often, whether someone changed the pin file. */
  look(): void {
    if (this.#policy === 'allow') return;
    const looking = this.#keeper.look();
    if (looking !== undefined) this.#work.add(looking);
  }

  /** How a text stands to the pins. Under `first-use` the first text of a server is pinned. */
  judge(subject: TrustSubject): TrustState {
    const state = this.compare(subject);
    if (this.#policy !== 'first-use') return state;
    if (state === 'new') return this.#firstUse(subject);
    // Approved of another server that is reached in the same way: without an entry of its own, its next text would be a first one.
    if (state === 'approved' && this.approvedNow(subject) === undefined) this.#firstUse(subject);
    return state;
  }

  /** The same, and nothing is pinned by asking. */
  compare(subject: TrustSubject): TrustState {
    const { pins } = this.#keeper;
    if (pins === 'unread') return 'unknown';
    if (pins === 'failed') return 'pins-failed';
    if (isApproved(pins, subject, subject.sha256)) return 'approved';
    return approvedFor(pins, subject) === undefined ? 'new' : 'changed';
  }

  /** The approved text to compare with, as far as it is known now. */
  approvedNow(speaker: Speaker): PinnedText | undefined {
    return approvedFor(this.#keeper.known, speaker);
  }

  /** The approved text to compare with, as the pin file has it. */
  async approved(speaker: Speaker): Promise<PinnedText | undefined> {
    const pins = await this.#keeper.read();
    return pins === 'failed' ? undefined : approvedFor(pins, speaker);
  }

  /**
   * Approves a text, and writes it down where there is a pin file.
   *
   * @throws InstructionsError `PINS_FAILED` when the pin file cannot be read or written; nothing is approved then
   */
  async approve(subject: TrustSubject): Promise<void> {
    const { code } = await this.#keeper.update((pins) => approved(pins, subject));
    if (code !== undefined) {
      throw new InstructionsError(
        'PINS_FAILED',
        `approve "${showText(subject.id)}": expected a pin file that can be read and written, got ${code}${HINTS.get(code) ?? ''}`,
      );
    }
    this.#say(subject, 'approval');
  }

  #firstUse(subject: TrustSubject): TrustState {
    if (!this.#keeper.hasFile) {
      this.#keeper.set(approved(this.#keeper.known, subject));
      this.#say(subject, 'first-use');
      return 'approved';
    }
    const key = `${subject.sha256} ${subject.identity}`;
    const known = this.#firstUses.get(key);
    if (known !== undefined && this.#clock.elapsed() < known.until) {
      return known.until === Number.POSITIVE_INFINITY ? 'unknown' : 'pin-not-saved';
    }
    const use = { until: Number.POSITIVE_INFINITY };
    this.#firstUses.set(key, use);
    this.#work.add(this.#saveFirstUse(subject, key, use));
    return 'unknown';
  }

  async #saveFirstUse(subject: TrustSubject, key: string, use: { until: number }): Promise<void> {
    let isFirst = false;
    const { code } = await this.#keeper.update((pins) => {
      // Another process may have been first.
      isFirst = approvedFor(pins, subject) === undefined;
      return isFirst ? approved(pins, subject) : pins;
    });
    if (code !== undefined) {
      use.until = this.#clock.elapsed() + SAVE_AGAIN_MS;
      return;
    }
    this.#firstUses.delete(key);
    if (isFirst) this.#say(subject, 'first-use');
  }

  #say({ id, text, sha256 }: TrustSubject, reason: string): void {
    this.#observer.emit('info', 'instructions-approved', { server: id, sha256, chars: text.length, reason });
  }
}

function approved(pins: Pins, subject: TrustSubject): Pins {
  return approve(pins, subject, { sha256: subject.sha256, text: subject.text.toWellFormed() });
}
