import { posix } from 'node:path';

import type { Source } from './parse-source.js';

/** What a specifier means: a module of the tree, a builtin of Node, or a package. */
export type Target =
  | { readonly kind: 'module'; readonly path: string }
  | { readonly kind: 'missing'; readonly path: string }
  | { readonly kind: 'node'; readonly name: string }
  | { readonly kind: 'package'; readonly name: string; readonly subpath: string };

/** Other names in `imports` of package.json, and the package that Node loads for each. */
const HASH_NAMES: ReadonlyMap<string, string> = new Map([
  ['#pino', 'pino'],
  ['#mcp-client', '@modelcontextprotocol/client'],
]);

/**
 * @param from the path of the module that holds the specifier
 * @param specifier as written
 * @param tree the modules there are, by path
 */
export function resolve(from: string, specifier: string, tree: ReadonlyMap<string, Source>): Target {
  // `imports` of package.json: what Node loads, and other runtimes do without.
  const alone = specifier.startsWith('#node/') ? specifier.slice('#node/'.length) : undefined;
  if (alone !== undefined || specifier.startsWith('.')) {
    const path = (alone ?? posix.join(posix.dirname(from), specifier)).replace(/\.js$/, '.ts');
    return { kind: tree.has(path) ? 'module' : 'missing', path };
  }
  if (specifier.startsWith('node:')) return { kind: 'node', name: specifier };
  const parts = (HASH_NAMES.get(specifier) ?? specifier).split('/');
  const length = specifier.startsWith('@') ? 2 : 1;
  return {
    kind: 'package',
    name: parts.slice(0, length).join('/'),
    subpath: parts.slice(length).join('/'),
  };
}
