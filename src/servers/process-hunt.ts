import { readdirSync } from 'node:fs';

import {
  isKernelThread,
  isOther,
  parseRow,
  type ProcessRow,
  type Shown,
  showProcessNow,
} from './process-row.js';

/** How long looking again may hold up the host, in ms. */
const defaultAgainMs = 10;

/**
 * Finds processes that come and go faster than all of them can be read: it looks again at what is new since the last look, which
 * takes no time, until there is nothing new. Sees none where the system does not show processes as files (anything but Linux).
 */
export class ProcessHunt {
  readonly #rows: Map<number, ProcessRow>;
  readonly #seen: Set<string>;
  /** Seen without an environment, as those that are just becoming another program have none for a moment. */
  readonly #unsure: Set<string> = new Set();

  /** @param rows what was found before */
  constructor(rows: readonly ProcessRow[] = []) {
    this.#rows = new Map(rows.map((row) => [row.pid, row]));
    this.#seen = new Set(rows.map(({ pid }) => String(pid)));
  }

  /** What was found so far. */
  get rows(): readonly ProcessRow[] {
    return [...this.#rows.values()];
  }

  /**
   * Files what the system shows of a process; `undefined` where it is gone.
   *
   * @returns whether there is news in it
   */
  note(pid: string, shown: Shown | undefined): boolean {
    const row = shown === undefined ? undefined : parseRow(Number(pid), shown);
    if (row === undefined) this.#rows.delete(Number(pid));
    else this.#rows.set(row.pid, row);
    if (row !== undefined && shown?.environment === '' && !isKernelThread(shown)) {
      const isNew = !this.#unsure.has(pid);
      this.#unsure.add(pid);
      return isNew;
    }
    this.#seen.add(pid);
    return row !== undefined;
  }

  /**
   * Looks until there is nothing new, or for a moment.
   *
   * @param onNew called after each look that found something
   * @param againMs how long, in ms, after the first look
   */
  catchUp(onNew: () => void = () => {}, againMs: number = defaultAgainMs): void {
    let endsAt = Infinity;
    while (performance.now() < endsAt && this.#look()) {
      onNew();
      // The first look may have read everything, and what it finds first is not yet what it is after.
      if (endsAt === Infinity) endsAt = performance.now() + againMs;
    }
  }

  #look(): boolean {
    let isNew = false;
    for (const pid of list()) if (!this.#seen.has(pid) && this.note(pid, showProcessNow(pid))) isNew = true;
    return isNew;
  }
}

function list(): readonly string[] {
  if (process.platform !== 'linux') return [];
  try {
    return readdirSync('/proc').filter(isOther);
  } catch {
    return [];
  }
}
