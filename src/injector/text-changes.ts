import type { Admission } from '../instructions/admit.js';
import type { Observer } from '../observe/observer.js';

/** From so many changes in a row on a text counts as unstable: two could be an update and its correction. */
const UNSTABLE_CHANGES = 2;

/** Notices servers that say something else in every reply, such as the time: each of them costs a new block. */
export class TextChanges {
  readonly #last: Map<string, { readonly text: string; readonly changes: number }> = new Map();
  readonly #observer: Observer;

  /** @param observer hears of every change of an unstable text */
  constructor(observer: Observer) {
    this.#observer = observer;
  }

  /**
   * A server replied.
   *
   * @param id the server's id
   * @param admission its text, compared as it would be shown
   */
  reply(id: string, { text, sha256, chars }: Admission): void {
    const last = this.#last.get(id);
    const changes = last === undefined || last.text === text ? 0 : last.changes + 1;
    this.#last.set(id, { text, changes });
    if (changes < UNSTABLE_CHANGES) return;
    this.#observer.emit('warn', 'instructions-unstable', {
      server: id,
      sha256: sha256?.slice(0, 12),
      chars,
      changes,
    });
  }

  /** Whether the last replies of a server all differed. */
  isUnstable(id: string): boolean {
    return (this.#last.get(id)?.changes ?? 0) >= UNSTABLE_CHANGES;
  }

  /** Forgets a server that is gone. */
  forget(id: string): void {
    this.#last.delete(id);
  }
}
