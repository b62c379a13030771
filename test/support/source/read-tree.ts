import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

import { parseSource, type Source } from './parse-source.js';

/**
 * Reads every module of a tree.
 *
 * @param root the folder
 * @returns the `.ts` files in it and below it, by path in code-unit order
 */
export function readTree(root: string): Source[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((path) => parseSource(relative(root, path).split(sep).join('/'), readFileSync(path, 'utf8')));
}
