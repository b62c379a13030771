import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import { expect, it } from 'vitest';

/** What a file of ours imports as a value, at once: types and `import()` are left out. */
function importsOf(path: string): readonly string[] {
  const source = readFileSync(path, 'utf8');
  const statements = source.matchAll(/^(?:import|export)\s(?!type\s)[^;]*?from '([^']+)';/gmu);
  return [...statements].map((match) => match[1] ?? '');
}

it('the manager loads without Node and without the SDK', () => {
  const start = fileURLToPath(new URL('../../src/servers/connection-manager.ts', import.meta.url));
  const seen = new Set<string>();
  const packages = new Set<string>();
  const visit = (path: string): void => {
    if (seen.has(path)) return;
    seen.add(path);
    for (const name of importsOf(path))
      if (name.startsWith('.')) visit(resolve(dirname(path), name.replace(/\.js$/u, '.ts')));
      else packages.add(name);
  };
  visit(start);
  expect(seen.size).toBeGreaterThan(15);
  expect([...packages].sort()).toEqual(['@noble/hashes/sha2.js', '@noble/hashes/utils.js']);
});
