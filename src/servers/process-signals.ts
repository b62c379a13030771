import { spawn } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';

/**
 * The processes whose environment holds `name=value`, zombies and our own process left out.
 *
 * @returns `undefined` where the system does not show environments as files (anything but Linux)
 */
export function pidsWithMarker(name: string, value: string): readonly number[] | undefined {
  if (process.platform !== 'linux') return undefined;
  const entry = Buffer.from(`${name}=${value}`);
  const found: number[] = [];
  let names: string[];
  try {
    names = readdirSync('/proc');
  } catch {
    return undefined;
  }
  for (const text of names) {
    const pid = Number(text);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    try {
      if (readFileSync(`/proc/${text}/environ`).includes(entry)) found.push(pid);
    } catch {
      // Ended in between, or another user's.
    }
  }
  return found;
}

/** Signals a process group; on Windows, which has none, ends the tree below the process. */
export function signalGroup(pid: number, signal: NodeJS.Signals): void {
  if (process.platform === 'win32') {
    spawn('taskkill', ['/pid', String(pid), '/T', '/F'], { stdio: 'ignore', windowsHide: true }).on(
      'error',
      () => signalProcess(pid, signal),
    );
    return;
  }
  signalProcess(-pid, signal);
}

/** Whether a process group has a member. */
export function hasGroup(pid: number): boolean {
  if (process.platform === 'win32') return false;
  try {
    process.kill(-pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Signals a process that may be gone already. */
export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Gone in between.
  }
}
