import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';

import { hasGroup, pidsWithMarker, signalGroup, signalProcess } from './process-signals.js';

/** The variable in a child's environment that marks it, and all that it starts, as ours. */
export const markerName = 'MCP_INSTRUCTIONS_TREE';

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

/**
 * A child process and everything that it started. Wrappers such as npx, uvx and `sh -c` leave the real server behind when they
 * are ended, so the tree is found by a random marker in its environment (Linux), and by its process group elsewhere.
 */
export class ProcessTree {
  /** Random, so that no process but this tree's is ever signalled. */
  readonly marker: string = randomBytes(16).toString('hex');
  #child: ChildProcess | undefined;
  #ending: Promise<number> | undefined;

  /** Takes charge of a child that was just spawned, in a process group of its own and with the marker. */
  adopt(child: ChildProcess): void {
    this.#child = child;
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

  /** Ends the tree now, without waiting for anything: for the end of the host's own process. */
  killNow(): void {
    const { pid } = this.#child ?? {};
    if (pid !== undefined && this.#rootLives()) signalGroup(pid, 'SIGKILL');
    for (const left of pidsWithMarker(markerName, this.marker) ?? []) signalProcess(left, 'SIGKILL');
  }

  #rootLives(): boolean {
    const child = this.#child;
    return child?.pid !== undefined && child.exitCode === null && child.signalCode === null;
  }

  async #end(settings: EndingSettings): Promise<number> {
    const child = this.#child;
    if (child?.pid === undefined) return 0;
    child.stdin?.end();
    await until(() => !this.#rootLives(), settings.inputMs, child);
    if (this.#survivors(child.pid) === 0) return 0;
    this.#signal(child.pid, 'SIGTERM');
    await until(() => this.#survivors(child.pid) === 0, settings.terminateMs, child);
    if (this.#survivors(child.pid) === 0) return 0;
    this.#signal(child.pid, 'SIGKILL');
    await until(() => this.#survivors(child.pid) === 0, settings.killMs, child);
    return this.#survivors(child.pid);
  }

  /** How many processes of the tree are alive. */
  #survivors(pid: number | undefined): number {
    const root = this.#rootLives() ? 1 : 0;
    const marked = pidsWithMarker(markerName, this.marker);
    if (marked !== undefined) return Math.max(root, marked.length);
    return root === 1 || (pid !== undefined && hasGroup(pid)) ? 1 : 0;
  }

  /** A group id is safe while its root lives, or while it has members; the marker is safe at any time. */
  #signal(pid: number, signal: NodeJS.Signals): void {
    if (this.#rootLives()) signalGroup(pid, signal);
    const marked = pidsWithMarker(markerName, this.marker);
    if (marked === undefined) signalGroup(pid, signal);
    for (const left of marked ?? []) signalProcess(left, signal);
  }
}

/** Polls, and looks at once when the root ends: the rest of a tree tells nobody when it goes. */
async function until(isDone: () => boolean, limitMs: number, child: ChildProcess): Promise<void> {
  const endsAt = performance.now() + limitMs;
  while (!isDone() && performance.now() < endsAt) {
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
