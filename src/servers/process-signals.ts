import { spawn } from 'node:child_process';

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
