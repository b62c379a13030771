import type { LogRecord } from './sink.js';

interface Repetition {
  readonly since: number;
  times: number;
  latest: LogRecord;
}

const maxKeys = 1_000;

/**
 * Lets the first of many like lines through and holds the rest back. When the window is over, the next line of any kind, or
 * {@link RepeatLimiter.flush}, brings the newest of them with how often it was `repeated`. No timer, so nothing keeps a process alive.
 */
export class RepeatLimiter {
  /** In order of `since`, because each is inserted when it starts. */
  readonly #open = new Map<string, Repetition>();
  readonly #windowMs: number;
  readonly #clock: () => number;
  readonly #write: (record: LogRecord) => void;

  constructor(windowMs: number, clock: () => number, write: (record: LogRecord) => void) {
    this.#windowMs = windowMs;
    this.#clock = clock;
    this.#write = write;
  }

  /** @param key what makes two lines alike; `undefined` for a line that is never held back */
  pass(key: string | undefined, record: LogRecord): void {
    const now = this.#clock();
    this.#closeWhere((repetition) => now - repetition.since >= this.#windowMs);
    const repetition = key === undefined ? undefined : this.#open.get(key);
    if (repetition) {
      repetition.times += 1;
      repetition.latest = record;
      return;
    }
    this.#write(record);
    if (key === undefined) return;
    this.#open.set(key, { since: now, times: 0, latest: record });
    this.#closeWhere(() => this.#open.size > maxKeys);
  }

  /** Writes what is held back. */
  flush(): void {
    this.#closeWhere(() => true);
  }

  #closeWhere(isOver: (repetition: Repetition) => boolean): void {
    for (const [key, repetition] of this.#open) {
      if (!isOver(repetition)) return;
      this.#open.delete(key);
      const { latest, times } = repetition;
      if (times > 0) this.#write({ ...latest, fields: { ...latest.fields, repeated: times } });
    }
  }
}
