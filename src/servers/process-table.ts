import { readdir } from 'node:fs/promises';

import { ProcessHunt } from './process-hunt.js';
import { isOther, type ProcessRow, showProcess } from './process-row.js';

/** How long a sweep is apart from the one before, in ms. */
const gapMs = 15;
/** How many processes are looked at together. */
const batch = 32;

let running: Promise<readonly ProcessRow[] | undefined> | undefined;
let following: Promise<readonly ProcessRow[] | undefined> | undefined;

/**
 * Every living process but our own. A sweep goes over the whole system, so all who ask while one is under way share the next one,
 * which sees all that was there when they asked.
 *
 * @returns `undefined` where the system does not show processes as files (anything but Linux)
 */
export function readProcesses(): Promise<readonly ProcessRow[] | undefined> {
  if (running === undefined) {
    running = sweep().finally(() => {
      running = undefined;
    });
    return running;
  }
  following ??= running
    .then(async () => {
      await new Promise<void>((resolve) => {
        setTimeout(resolve, gapMs);
      });
    })
    .then(() => {
      following = undefined;
      return readProcesses();
    });
  return following;
}

async function sweep(): Promise<readonly ProcessRow[] | undefined> {
  const names = process.platform === 'linux' ? await readdir('/proc').catch(() => undefined) : undefined;
  if (names === undefined) return undefined;
  const hunt = new ProcessHunt();
  const pids = names.filter(isOther);
  for (let start = 0; start < pids.length; start += batch)
    await Promise.all(
      pids.slice(start, start + batch).map(async (pid) => hunt.note(pid, await showProcess(pid))),
    );
  // Reading took a while, in which processes started others and ended.
  hunt.catchUp();
  return hunt.rows;
}
