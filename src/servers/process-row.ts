import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

/** The variable in a child's environment that marks it, and all that it starts, as ours. */
export const markerName = 'MCP_INSTRUCTIONS_TREE';

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

/** What the system shows of a process. */
export interface Shown {
  /** Its status line. */
  readonly stat: string;
  /** `undefined` where it may not be read. */
  readonly environment: string | undefined;
}

/** @returns `undefined` for a process that is gone */
export async function showProcess(pid: string): Promise<Shown | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'latin1');
    // Another user's environment cannot be read; its place in a group can.
    const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => undefined);
    return { stat, environment };
  } catch {
    return undefined;
  }
}

/** The same at once. */
export function showProcessNow(pid: string): Shown | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    let environment: string | undefined;
    try {
      environment = readFileSync(`/proc/${pid}/environ`, 'latin1');
    } catch {
      // Another user's.
    }
    return { stat, environment };
  } catch {
    return undefined;
  }
}

/** Whether a name in the list of processes is a process, and not our own. */
export function isOther(name: string): boolean {
  return /^\d+$/u.test(name) && Number(name) !== process.pid;
}

/** The flag of a thread of the kernel's own, which never has an environment. */
const kernelThread = 0x00_20_00_00;

/** Whether it is no program. */
export function isKernelThread(shown: Shown): boolean {
  return (Number(fieldsOf(shown)[6]) & kernelThread) !== 0;
}

/** @returns `undefined` for a process that has ended and is only listed still */
export function parseRow(pid: number, shown: Shown): ProcessRow | undefined {
  const fields = fieldsOf(shown);
  const [state, parent, group, session] = fields;
  if (state === undefined || state === 'Z' || state === 'X') return undefined;
  const entry = shown.environment?.split('\0').find((text) => text.startsWith(`${markerName}=`));
  return {
    pid,
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    startedAt: fields[19] ?? '',
    marker: entry?.slice(markerName.length + 1) ?? '',
  };
}

/** From the state on. The name of the program stands in brackets before and may hold anything. */
function fieldsOf({ stat }: Shown): readonly string[] {
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}
