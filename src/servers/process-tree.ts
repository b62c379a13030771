import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';

import { hasGroup, signalGroup, signalProcess } from './process-signals.js';
import { ProcessHunt } from './process-hunt.js';
import { markerName, type ProcessRow } from './process-row.js';
import { readProcesses } from './process-table.js';

/** How many hosts inside of hosts are told apart. */
const deepest = 64;

/** How long a process gets to end by itself at each step, in ms. */
export interface EndingSettings {
  /** After its standard input was closed. */
  readonly inputMs: number;
  /** After SIGTERM. */
  readonly terminateMs: number;
  /** After SIGKILL; the system needs a moment to take a process down. */
  readonly killMs: number;
}

/** The settings in use. */
export const defaultEnding: EndingSettings = Object.freeze({
  inputMs: 1_000,
  terminateMs: 1_000,
  killMs: 1_000,
});

const pollMs = 20;
/** How long those who were killed get before they are killed again. */
const strikeMs = 100;

/**
 * A child process and everything that it started. Wrappers such as npx, uvx and `sh -c` leave the real server behind when they
 * are ended, so the tree is found by a random marker in its environment, by its process group and session, and by who started whom
 * (Linux); by its process group elsewhere.
 */
export class ProcessTree {
  /** Random, so that no process but this tree's is ever signalled. */
  readonly marker: string = randomBytes(16).toString('hex');
  #child: ChildProcess | undefined;
  #ending: Promise<number> | undefined;
  /** The members seen last, each with the time of its start: an id alone may be another process by now. */
  #known: ReadonlyMap<number, string> = new Map();
  #rootSeen = false;
  /** Whether there was ever anybody but the root. */
  #hadCompany = false;

  /**
   * The value of the variable that marks the tree: the markers of the trees that this process itself belongs to, and this one, so that
   * whoever ends an outer tree ends this one as well.
   */
  get markers(): string {
    const outer = process.env[markerName] ?? '';
    const inherited = /^[0-9a-f]{32}(?: [0-9a-f]{32})*$/u.test(outer) ? outer.split(' ') : [];
    return [...inherited.slice(-deepest), this.marker].join(' ');
  }

  /** Takes charge of a child that was just spawned, in a process group of its own and with the markers. */
  adopt(child: ChildProcess): void {
    this.#child = child;
    // Who is left in the group must be known while the id of the group cannot be another's yet.
    child.once('exit', () => void this.#look());
  }

  /**
   * Ends the tree, gently first. Safe to call again, and after the root died by itself.
   *
   * @returns how many processes could not be ended
   */
  end(settings: EndingSettings = defaultEnding): Promise<number> {
    this.#ending ??= this.#end(settings);
    return this.#ending;
  }

  /** Ends the root and its group now, without waiting for anything: for the end of the host's own process. */
  killRoot(): void {
    const { pid } = this.#child ?? {};
    if (pid !== undefined && this.#rootLives()) signalGroup(pid, 'SIGKILL');
  }

  /**
   * Ends now what is in a list of all processes.
   *
   * @returns how many there were
   */
  kill(rows: readonly ProcessRow[]): number {
    const members = this.#membersOf(rows);
    const root = this.#child?.pid;
    // As one, so that nothing slips through that is being started right now.
    if (root !== undefined && members.some(({ group }) => group === root)) signalGroup(root, 'SIGKILL');
    for (const { pid } of members) signalProcess(pid, 'SIGKILL');
    return members.length;
  }

  #rootLives(): boolean {
    const child = this.#child;
    return child?.pid !== undefined && child.exitCode === null && child.signalCode === null;
  }

  async #end(settings: EndingSettings): Promise<number> {
    const child = this.#child;
    if (child?.pid === undefined) return 0;
    // A process that starts others and ends leaves no trace of who they are, so they are noted before.
    await this.#look();
    child.stdin?.end();
    await until(() => !this.#rootLives(), settings.inputMs, child);
    const isGone = (): Promise<boolean> => this.#isGone(child.pid);
    if (await isGone()) return 0;
    await this.#signal(child.pid, 'SIGTERM');
    await until(isGone, settings.terminateMs, child);
    if (await isGone()) return 0;
    const endsAt = performance.now() + settings.killMs;
    for (;;) {
      const left = await this.#strike(child.pid);
      if (left === 0 && (await this.#isGone(child.pid))) return 0;
      if (performance.now() >= endsAt) return Math.max(left, await this.#survivors(child.pid));
      await until(isGone, strikeMs, child);
    }
  }

  /** Somebody who always moves on may be in no list once, but hardly twice. */
  async #isGone(pid: number | undefined): Promise<boolean> {
    if ((await this.#survivors(pid)) > 0) return false;
    return !this.#hadCompany || (await this.#survivors(pid)) === 0;
  }

  /**
   * Kills whoever is there, and whoever they started meanwhile.
   *
   * @returns how many there were
   */
  async #strike(pid: number): Promise<number> {
    const rows = await readProcesses();
    this.killRoot();
    if (rows === undefined) {
      if (!hasGroup(pid)) return this.#rootLives() ? 1 : 0;
      signalGroup(pid, 'SIGKILL');
      return 1;
    }
    const hunt = new ProcessHunt(rows);
    let found = this.kill(rows);
    if (found > 0)
      hunt.catchUp(() => {
        found = Math.max(found, this.kill(hunt.rows));
      });
    return found;
  }

  /** The processes of the tree that are alive; `undefined` where the system does not show them. */
  async #look(): Promise<readonly ProcessRow[] | undefined> {
    const rows = await readProcesses();
    return rows === undefined ? undefined : this.#membersOf(rows);
  }

  #membersOf(rows: readonly ProcessRow[]): readonly ProcessRow[] {
    const root = this.#child?.pid;
    if (root === undefined) return [];
    const isKnown = (row: ProcessRow): boolean => this.#known.get(row.pid) === row.startedAt;
    // The ids of group and session stay taken while one of ours is in them; after that they may be anybody's.
    const holdsGroup = (row: ProcessRow): boolean => row.group === root || row.session === root;
    const isOurGroup =
      this.#rootLives() || !this.#rootSeen || rows.some((row) => holdsGroup(row) && isKnown(row));
    this.#rootSeen ||= !this.#rootLives();
    const members = new Map<number, ProcessRow>();
    for (const row of rows)
      if (isKnown(row) || row.marker.includes(this.marker) || (isOurGroup && holdsGroup(row)))
        members.set(row.pid, row);
    for (let before = -1; before !== members.size;) {
      before = members.size;
      for (const row of rows) if (members.has(row.parent)) members.set(row.pid, row);
    }
    this.#hadCompany ||= [...members.keys()].some((pid) => pid !== root);
    this.#known = new Map([...members.values()].map((row) => [row.pid, row.startedAt]));
    return [...members.values()];
  }

  /** How many processes of the tree are alive. */
  async #survivors(pid: number | undefined): Promise<number> {
    const members = await this.#look();
    const root = this.#rootLives() ? 1 : 0;
    if (members !== undefined) return Math.max(root, members.length);
    return root === 1 || (pid !== undefined && hasGroup(pid)) ? 1 : 0;
  }

  async #signal(pid: number, signal: NodeJS.Signals): Promise<void> {
    const members = await this.#look();
    // As one, so that nothing slips through that is being started right now.
    const isGroup = members === undefined || this.#rootLives() || members.some((row) => row.group === pid);
    if (isGroup) signalGroup(pid, signal);
    for (const row of members ?? []) if (!isGroup || row.group !== pid) signalProcess(row.pid, signal);
  }
}

/** Polls, and looks at once when the root ends: the rest of a tree tells nobody when it goes. */
async function until(
  isDone: () => boolean | Promise<boolean>,
  limitMs: number,
  child: ChildProcess,
): Promise<void> {
  const endsAt = performance.now() + limitMs;
  while (!(await isDone()) && performance.now() < endsAt) {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(done, pollMs);
      child.once('exit', done);
      function done(): void {
        clearTimeout(timer);
        child.off('exit', done);
        resolve();
      }
    });
  }
}
