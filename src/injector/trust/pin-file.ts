import type { Stats } from 'node:fs';
import { mkdir, open, readFile, realpath, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { replaceText } from '../../stores/atomic-files.js';

/** No team approves that much; a larger file is not one of ours. */
const MAX_BYTES = 64 * 1024 * 1024;
const LOCK_LOOKS = 200;
const LOCK_LOOK_EVERY_MS = 20;
/** A process that holds a lock for so long is gone. */
const LOCK_STALE_MS = 10_000;
const ANY_WRITE_BIT = 0o222;
const PERMISSIONS = 0o777;
const NEW_FILE = 0o666;

/** A failure with a code that may be logged. */
export class PinFileAccessError extends Error {
  override readonly name = 'PinFileAccessError';
  readonly code: string;

  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

/** A pin file as it was found. */
export interface FoundFile {
  /** `undefined` when there is no file. */
  readonly text: string | undefined;
  /** Another one when the file may have changed. */
  readonly version: string;
}

/**
 * @param path the pin file
 * @returns what tells whether the file changed, without reading it
 * @throws the system's error, unless there is no file
 */
export async function versionOf(path: string): Promise<string> {
  const found = await statOf(path);
  return found === undefined ? 'missing' : `${found.ino} ${found.size} ${found.mtimeMs}`;
}

/**
 * @param path the pin file
 * @throws the system's error, unless there is no file
 */
export async function readPinFile(path: string): Promise<FoundFile> {
  // Taken first: a change in between is then seen at the next look.
  const version = await versionOf(path);
  if (version === 'missing') return { text: undefined, version };
  const found = await stat(path);
  if (found.size > MAX_BYTES) throw new PinFileAccessError('too-large');
  return { text: await readFile(path, 'utf8'), version };
}

/**
 * Reads, changes and replaces a pin file, while every other process that does the same waits.
 *
 * @param path the pin file; where it is a link, the file it leads to
 * @param change makes the new text from the text that is there; what it throws leaves the file as it is. `undefined` changes nothing
 * @throws the system's error, PinFileAccessError `read-only` or `locked`
 */
export async function updatePinFile(
  path: string,
  change: (text: string | undefined) => string | undefined,
): Promise<void> {
  const target = await realpath(path).catch(() => path);
  await mkdir(dirname(target), { recursive: true });
  const unlock = await lock(`${target}.lock`);
  try {
    const { text } = await readPinFile(target);
    const changed = change(text);
    if (changed === undefined || changed === text) return;
    const mode = (await statOf(target))?.mode;
    // Renaming over it would not ask, and neither does a superuser's access.
    if (mode !== undefined && (mode & ANY_WRITE_BIT) === 0) throw new PinFileAccessError('read-only');
    await replaceText(target, changed, mode === undefined ? NEW_FILE : mode & PERMISSIONS);
  } finally {
    await unlock();
  }
}

async function statOf(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** A file that only one process can make; it is gone when the work is done. */
async function lock(path: string): Promise<() => Promise<void>> {
  for (let look = 0; look < LOCK_LOOKS; look += 1) {
    try {
      await (await open(path, 'wx')).close();
      return () => rm(path, { force: true });
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
    }
    const held = await statOf(path);
    if (held !== undefined && Date.now() - held.mtimeMs > LOCK_STALE_MS) {
      await rm(path, { force: true });
    }
    await sleep(LOCK_LOOK_EVERY_MS);
  }
  throw new PinFileAccessError('locked');
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
