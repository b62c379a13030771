/**
 * The folders of `src`, low to high. A folder may import from the rows below its own; folders of one row may import from
 * each other in one direction. A folder and the module of the same name beside it (`options/`, `options.ts`) are one.
 */
export const LAYERS: readonly (readonly string[])[] = [
  ['errors', 'values'],
  ['instructions'],
  ['render'],
  ['conversation'],
  ['formats', 'cost'],
  ['servers', 'stores', 'observe', 'options'],
  ['injector'],
  ['adapters', 'cli'],
  ['index', 'testing'],
];

/** Data in, data out: no Node, no clock, no environment, no logger. */
export const PURE: readonly string[] = ['values', 'instructions', 'render', 'conversation', 'formats'];

/** The only packages that a pure folder may use: a synchronous SHA-256 that runs everywhere. */
export const PURE_PACKAGES: readonly string[] = ['@noble/hashes'];

/** Packages that load together with the entries that have to run on edge runtimes; all others load on demand. */
export const EAGER_PACKAGES: readonly string[] = ['@noble/hashes'];

/** The entries that have to load without Node. */
export const PORTABLE_ENTRIES: readonly string[] = ['index.ts', 'testing.ts', 'adapters/'];

/** What a pure folder must not name. */
export const IMPURE_NAMES: readonly string[] = [
  'process',
  'Date',
  'Math.random',
  'globalThis',
  'performance',
  'console',
  'fetch',
  'crypto',
  'navigator',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'queueMicrotask',
  'Buffer',
  'require',
];

/** Lines that no module may have more of. */
export const MAX_LINES = 300;

/** @returns the folder, or the module of that name, that a path belongs to */
export function folderOf(path: string): string {
  const first = path.split('/', 1)[0] ?? path;
  return first.replace(/\.ts$/, '');
}

/** @returns the row of {@link LAYERS}; -1 when there is none */
export function layerOf(path: string): number {
  const folder = folderOf(path);
  return LAYERS.findIndex((row) => row.includes(folder));
}
