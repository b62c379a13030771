import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

const leftoverAgeMs = 3_600_000;
const temporary = /^\.[0-9a-f]{64}\.[0-9a-f-]{36}\.tmp$/;

/**
 * The file of a key: named by hash, because a key may hold anything and file systems differ in case, length and forbidden characters.
 *
 * @param folder where the files are
 * @param key any text
 */
export function pathOf(folder: string, key: string): string {
  return join(folder, `${createHash('sha256').update(key, 'utf8').digest('hex')}.json`);
}

/**
 * @param path a file
 * @returns its text; `undefined` when it is not there
 * @throws the system's error for anything else
 */
export async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (isCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/**
 * Replaces a file as a whole: written beside it, forced to disk, then renamed over it, so that at every moment the old text or the new
 * one is there.
 *
 * @param path the file; its folder is made when it is not there
 * @param text its new text
 * @param mode who may read and write it
 * @throws the system's error; the old text is there then
 */
export async function replaceText(path: string, text: string, mode = 0o600): Promise<void> {
  const folder = dirname(path);
  if (await mkdir(folder, { recursive: true, mode: 0o700 })) await syncFolder(dirname(folder));
  else await removeLeftovers(folder);
  const beside = join(folder, `.${basename(path, '.json')}.${randomUUID()}.tmp`);
  try {
    await writeNew(beside, text, mode);
    await rename(beside, path);
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
  await syncFolder(folder);
}

/**
 * @param path a file, there or not
 * @throws the system's error
 */
export async function removeFile(path: string): Promise<void> {
  await rm(path, { force: true });
  await syncFolder(dirname(path));
}

async function writeNew(path: string, text: string, mode: number): Promise<void> {
  const file = await open(path, 'wx', mode);
  try {
    await file.writeFile(text, 'utf8');
    await file.sync();
  } finally {
    await file.close();
  }
}

/** A rename is on disk only when its folder is. Not every system lets a folder be opened or synced; there it is done without. */
async function syncFolder(path: string): Promise<void> {
  try {
    const folder = await open(path, 'r');
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  } catch {
    // The new text is whole in any case; only how soon it survives a power failure differs.
  }
}

const swept = new Set<string>();

/** What killed processes left behind, once a folder and process, and never a file that may still be being written. */
async function removeLeftovers(folder: string): Promise<void> {
  if (swept.has(folder)) return;
  swept.add(folder);
  try {
    const names = (await readdir(folder)).filter((name) => temporary.test(name));
    await Promise.all(names.map((name) => removeIfOld(join(folder, name))));
  } catch {
    // Leftovers take room and do no harm.
  }
}

async function removeIfOld(path: string): Promise<void> {
  const { mtimeMs } = await stat(path);
  if (Date.now() - mtimeMs > leftoverAgeMs) await rm(path, { force: true });
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
