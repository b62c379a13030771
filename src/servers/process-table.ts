import { readdirSync, readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';

/** One living process, as the system shows it. */
export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** When it started, in the system's ticks: tells it from a later one of the same id. */
  readonly startedAt: string;
  /** The value of the marking variable in its environment; `''` where it has none. */
  readonly marker: string;
}

/** How long a sweep is apart from the one before, in ms. */
const gapMs = 15;
/** How many processes are looked at together. */
const batch = 32;

let running: Promise<readonly ProcessRow[] | undefined> | undefined;
let following: Promise<readonly ProcessRow[] | undefined> | undefined;

/** The variable in a child's environment that marks it, and all that it starts, as ours. */
export const markerName = 'MCP_INSTRUCTIONS_TREE';

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
  const pids = names.filter(isOther);
  const rows: ProcessRow[] = [];
  for (let start = 0; start < pids.length; start += batch) {
    const found = await Promise.all(pids.slice(start, start + batch).map((pid) => readRow(pid)));
    for (const row of found) if (row !== undefined) rows.push(row);
  }
  return rows;
}

async function readRow(pid: string): Promise<ProcessRow | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'latin1');
    // Another user's environment cannot be read; its place in a group can.
    const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '');
    return parseRow(Number(pid), stat, environment);
  } catch {
    return undefined;
  }
}

/** The same at once, for the end of the host's own process. */
export function readProcessesNow(): readonly ProcessRow[] | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    return readdirSync('/proc')
      .filter(isOther)
      .flatMap((pid) => readRowNow(pid) ?? []);
  } catch {
    return undefined;
  }
}

function readRowNow(pid: string): ProcessRow | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    let environment = '';
    try {
      environment = readFileSync(`/proc/${pid}/environ`, 'latin1');
    } catch {
      // Another user's.
    }
    return parseRow(Number(pid), stat, environment);
  } catch {
    return undefined;
  }
}

function isOther(name: string): boolean {
  return /^\d+$/u.test(name) && Number(name) !== process.pid;
}

/** @returns `undefined` for a process that has ended and is only listed still */
function parseRow(pid: number, stat: string, environment: string): ProcessRow | undefined {
  // The name of the program stands in brackets and may hold anything.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, parent, group, session] = fields;
  if (state === undefined || state === 'Z' || state === 'X') return undefined;
  const entry = environment.split('\0').find((text) => text.startsWith(`${markerName}=`));
  return {
    pid,
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    startedAt: fields[19] ?? '',
    marker: entry?.slice(markerName.length + 1) ?? '',
  };
}
