import { notExpected } from '../errors.js';
import type * as AtomicFiles from './atomic-files.js';
import { KeyedQueue } from './keyed-queue.js';
import type { LedgerStore } from './ledger-store.js';
import { isRecord, kindOf } from '../values.js';

/** Where {@link fileStore} keeps its files. */
export interface FileStoreOptions {
  /** A folder that holds nothing else; made when it is not there, readable by its owner only. */
  readonly folder: string;
}

type Files = typeof AtomicFiles;

/**
 * Conversations in files, one each, for a host on one machine. A file is replaced as a whole: a process that is killed while it writes leaves
 * the text from before. Two processes may share the folder; when both save the same conversation at the same moment, one of the two records is
 * lost, and announced again.
 *
 * Node only. Files are touched at the first use, not before.
 *
 * @param options see {@link FileStoreOptions}
 * @throws InstructionsError `INVALID_OPTION` when `folder` is not a path
 */
export function fileStore(options: FileStoreOptions): LedgerStore {
  const given: unknown = options;
  if (!isRecord(given))
    throw notExpected('INVALID_OPTION', 'fileStore: options', '{ folder }', kindOf(given));
  const { folder } = given;
  if (typeof folder !== 'string' || folder === '') {
    throw notExpected('INVALID_OPTION', 'folder', 'a path', kindOf(folder));
  }
  const queue = new KeyedQueue();
  // On demand, because it needs Node.
  let loading: Promise<Files> | undefined;
  const files = (): Promise<Files> => (loading ??= import('#node/stores/atomic-files.js'));

  /** In the order of the calls, since a slow write must not overtake a later one. */
  const inTurn = <Value>(key: string, task: (files: Files, path: string) => Promise<Value>): Promise<Value> =>
    queue.run(key, async () => {
      const loaded = await files();
      return await task(loaded, loaded.pathOf(folder, key));
    });

  return {
    get: (key) => inTurn(key, (loaded, path) => loaded.readText(path)),
    set: (key, value) => inTurn(key, (loaded, path) => loaded.replaceText(path, value)),
    delete: (key) => inTurn(key, (loaded, path) => loaded.removeFile(path)),
  };
}
