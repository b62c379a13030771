import { constants, type Stats } from 'node:fs';
import { mkdir, open, readlink, realpath, rm, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { replaceText } from '../../stores/atomic-files.js';

/** No team approves that much, and reading it stops everything else for a moment. */
const MAX_BYTES = 8 * 1024 * 1024;
/** As many as systems follow. */
const MAX_LINKS = 40;
const LOCK_LOOKS = 200;
const LOCK_LOOK_EVERY_MS = 20;
/** A process that holds a lock for so long is gone; so is one that will have made it that far in the future. */
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
  return found === undefined ? 'missing' : [found.ino, found.size, found.mtimeMs, found.ctimeMs].join(' ');
}

/**
 * @param path the pin file
 * @throws the system's error, unless there is no file; PinFileAccessError `not-a-file`, `too-large`
 */
export async function readPinFile(path: string): Promise<FoundFile> {
  // Taken first: a change in between is then seen at the next look.
  const version = await versionOf(path);
  if (version === 'missing') return { text: undefined, version };
  // Opening a pipe would wait until somebody writes to it.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const found = await file.stat();
    if (!found.isFile() && !found.isDirectory()) throw new PinFileAccessError('not-a-file');
    if (found.size > MAX_BYTES) throw new PinFileAccessError('too-large');
    return { text: await file.readFile('utf8'), version };
  } finally {
    await file.close();
  }
}

/**
 * Reads, changes and replaces a pin file, while every other process that does the same waits.
 *
 * @param path the pin file; where it is a link, the file it leads to
 * @param change makes the new text from the text that is there; what it throws leaves the file as it is. `undefined` changes nothing
 * @throws the system's error, PinFileAccessError `read-only`, `locked`, `not-a-file` or `too-large`
 */
export async function updatePinFile(
  path: string,
  change: (text: string | undefined) => string | undefined,
): Promise<void> {
  const target = await targetOf(path);
  await mkdir(dirname(target), { recursive: true });
  const unlock = await lock(`${target}.lock`);
  try {
    const { text } = await readPinFile(target);
    const changed = change(text);
    if (changed === undefined || changed === text) return;
    // It could never be read again.
    if (Buffer.byteLength(changed) > MAX_BYTES) throw new PinFileAccessError('too-large');
    const mode = (await statOf(target))?.mode;
    // Renaming over it would not ask, and neither does a superuser's access.
    if (mode !== undefined && (mode & ANY_WRITE_BIT) === 0) throw new PinFileAccessError('read-only');
    await replaceText(target, changed, mode === undefined ? NEW_FILE : mode & PERMISSIONS);
  } finally {
    await unlock();
  }
}

/** Where a link leads, also when there is no file yet. */
async function targetOf(path: string): Promise<string> {
  let target = path;
  for (let links = 0; links < MAX_LINKS; links += 1) {
    try {
      return await realpath(target);
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error;
    }
    const next = await readlink(target).catch(() => undefined);
    if (next === undefined) return target;
    target = resolve(dirname(target), next);
  }
  return target;
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
    if (held !== undefined && Math.abs(Date.now() - held.mtimeMs) > LOCK_STALE_MS) {
      await rm(path, { force: true });
    }
    await sleep(LOCK_LOOK_EVERY_MS);
  }
  throw new PinFileAccessError('locked');
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
