import type { Observer } from '../observe/observer.js';
import type { Trust, TrustState, TrustSubject } from './trust.js';

/** Asks the pins about a text and says in the log, once for each text and reason, that it is withheld. */
export class TrustGate {
  readonly #trust: Trust;
  readonly #observer: Observer;
  /** What was withheld of each server last. */
  readonly #withheld: Map<string, string> = new Map();

  constructor(trust: Trust, observer: Observer) {
    this.#trust = trust;
    this.#observer = observer;
  }

  /** @returns how a text stands to the pins; `undefined` where the policy does not ask */
  judge(subject: TrustSubject): TrustState | undefined {
    if (this.#trust.policy === 'allow') return undefined;
    const state = this.#trust.judge(subject);
    if (state === 'approved') this.#withheld.delete(subject.id);
    else if (state !== 'unknown') this.#say(subject, state);
    return state;
  }

  /** Forgets a server that is gone. */
  forget(id: string): void {
    this.#withheld.delete(id);
  }

  #say(subject: TrustSubject, reason: TrustState): void {
    const { id, identity, sha256, text } = subject;
    const key = `${reason} ${sha256} ${identity}`;
    if (this.#withheld.get(id) === key) return;
    this.#withheld.set(id, key);
    this.#observer.emit('warn', 'instructions-withheld', {
      server: id,
      sha256,
      chars: text.length,
      reason,
      policy: this.#trust.policy,
      pinnedSha256: this.#trust.approvedNow(subject)?.sha256,
    });
  }
}
