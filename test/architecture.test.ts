import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { describe, expect, test } from 'vitest';

import { checkArchitecture, type Rule, type Violation } from './support/source/check-architecture.js';
import { folderOf, LAYERS, MAX_LINES, PURE } from './support/source/layers.js';
import { parseSource, type Source } from './support/source/parse-source.js';
import { readTree } from './support/source/read-tree.js';

const sources = readTree(fileURLToPath(new URL('../src', import.meta.url)));
const findings = checkArchitecture(sources);

describe('what is looked at', () => {
  test('modules of every layer, and imports of every kind', () => {
    expect(findings.modules).toBeGreaterThan(100);
    expect(findings.imports.type).toBeGreaterThan(100);
    expect(findings.imports.static).toBeGreaterThan(100);
    expect(findings.imports.dynamic).toBeGreaterThan(3);
    const folders = new Set(sources.map((source) => folderOf(source.path)));
    for (const folder of ['errors', 'options', 'injector', 'index', 'cost', 'servers', 'adapters', ...PURE]) {
      expect(folders).toContain(folder);
    }
  });

  test('names in pure modules', () => {
    for (const folder of PURE) {
      const names = sources.filter(({ path }) => folderOf(path) === folder).flatMap((source) => source.names);
      expect(names.length).toBeGreaterThan(10);
    }
  });

  test('every pure folder has a layer', () => {
    expect(PURE.filter((folder) => !LAYERS.flat().includes(folder))).toEqual([]);
  });
});

test('the tree keeps the rules', () => {
  expect(findings.violations).toEqual([]);
});

/** Modules to plant, one at a time, and the rule that each one breaks. */
const planted: readonly (readonly [rule: Rule, path: string, text: string])[] = [
  ['upward-import', 'render/planted.ts', `import { createInjector } from '../injector.js';`],
  ['upward-import', 'instructions/planted.ts', `import type { Delta } from '../render/delta.js';`],
  ['upward-import', 'render/planted.ts', `export type { Ledger } from '../conversation/ledger.js';`],
  ['upward-import', 'render/planted.ts', `export * from '../cost/report.js';`],
  ['upward-import', 'render/planted.ts', `export type A = import('../options.js').Options;`],
  ['upward-import', 'errors.ts', `import './instructions/admit.js';`],
  ['upward-import', 'stores/planted.ts', `export const load = () => import('../injector.js');`],
  ['impure-import', 'render/planted.ts', `import { createHash } from 'node:crypto';`],
  ['impure-import', 'formats/planted.ts', `import type { Buffer } from 'node:buffer';`],
  ['impure-import', 'conversation/planted.ts', `import { pino } from 'pino';`],
  ['impure-import', 'conversation/planted.ts', `import type { Client } from '@modelcontextprotocol/client';`],
  ['impure-import', 'instructions/planted.ts', `export const load = () => import('pino');`],
  ['impure-name', 'instructions/planted.ts', `export const on = process.env['ON'];`],
  ['impure-name', 'conversation/planted.ts', `export const now = () => Date.now();`],
  ['impure-name', 'conversation/planted.ts', `export const now = () => new Date();`],
  ['impure-name', 'formats/planted.ts', `export const who = globalThis;`],
  ['impure-name', 'formats/planted.ts', `export const luck = () => Math.random();`],
  ['computed-import', 'servers/planted.ts', `export const load = (name: string) => import(name);`],
  ['missing-module', 'servers/planted.ts', `import './nowhere.js';`],
  ['unknown-folder', 'helpers/planted.ts', `export const nothing = 0;`],
  ['too-long', 'cost/planted.ts', `${'//\n'.repeat(MAX_LINES)}export {};`],
  ['eager-import', 'adapters/planted.ts', `import { readFileSync } from 'node:fs';`],
  ['eager-import', 'adapters/planted.ts', `import { pino } from 'pino';`],
];

test.each(planted)('a planted %s in %s is caught', (rule, path, text) => {
  const others = sources.filter((source) => source.path !== path);
  const { violations } = checkArchitecture([...others, parseSource(path, text)]);
  expect(violations.filter(({ where }) => where.startsWith(path)).map((found) => found.rule)).toContain(rule);
});

test('what an entry loads through other modules counts as its own', () => {
  const entry = parseSource('adapters/planted.ts', `import { load } from '../servers/planted.js';`);
  const through = parseSource('servers/planted.ts', `export { connect as load } from 'node:net';`);
  const later = parseSource('servers/planted.ts', `export const load = () => import('node:net');`);
  const erased = parseSource('servers/planted.ts', `export type { Socket } from 'node:net';`);
  const eager = { rule: 'eager-import', where: 'servers/planted.ts:1', what: 'node:net' };
  expect(broughtIn(entry, through)).toContainEqual(eager);
  expect(broughtIn(entry, later)).not.toContainEqual(eager);
  expect(broughtIn(entry, erased)).not.toContainEqual(eager);
  expect(broughtIn(through)).not.toContainEqual(eager);
});

/** The violations that more modules bring into the tree. */
function broughtIn(...more: readonly Source[]): Violation[] {
  const before = new Set(findings.violations.map((violation) => JSON.stringify(violation)));
  const { violations } = checkArchitecture([...sources, ...more]);
  return violations.filter((violation) => !before.has(JSON.stringify(violation)));
}

test('what only looks like a fault is left alone', () => {
  const innocent = parseSource(
    'render/planted.ts',
    `import type { Admission } from '../instructions/admit.js';
     import { sha256 } from '@noble/hashes/sha2.js';
     // import '../injector.js'; process.env; Date.now();
     export const text = "import 'node:fs'";
     export const labels = (at: { process: number; Date: Admission }) => [at.process, at.Date, sha256];
     export const made = { process: 1, fetch: 2 };`,
  );
  expect(broughtIn(innocent)).toEqual([]);
});

test('a planted cycle of modules is caught', () => {
  const one = parseSource('cost/one.ts', `import type { Two } from './two.js';`);
  const two = parseSource('cost/two.ts', `import type { Three } from './three.js';`);
  const three = parseSource('cost/three.ts', `export const load = () => import('./one.js');`);
  const cycle = { rule: 'module-cycle', where: 'cost/one.ts, cost/three.ts, cost/two.ts' } as const;
  expect(broughtIn(one, two, three)).toContainEqual(expect.objectContaining(cycle));
  expect(broughtIn(one, two).map(({ rule }) => rule)).not.toContain('module-cycle');
});

test('a planted cycle of folders is caught, although no module is in one', () => {
  const back = parseSource('observe/planted.ts', `import type { Options } from '../options.js';`);
  const rules = broughtIn(back).map(({ rule }) => rule);
  expect(rules).toContain('folder-cycle');
  expect(rules).not.toContain('module-cycle');
});

test('a tree on disk is read, folders within it too', () => {
  const root = mkdtempSync(join(tmpdir(), 'planted-'));
  try {
    mkdirSync(join(root, 'observe', 'events'), { recursive: true });
    writeFileSync(join(root, 'injector.ts'), 'export const nothing = 0;\n');
    writeFileSync(join(root, 'observe', 'events', 'one.ts'), `\nimport '../../injector.js';\n`);
    writeFileSync(join(root, 'observe', 'notes.md'), `import '../injector.js';\n`);
    const found = checkArchitecture(readTree(root));
    expect(found.modules).toBe(2);
    expect(found.violations).toEqual([
      { rule: 'upward-import', where: 'observe/events/one.ts:2', what: 'injector.ts' },
    ]);
  } finally {
    rmSync(root, { recursive: true });
  }
});

test('a module that cannot be parsed is not passed over', () => {
  expect(() => parseSource('render/planted.ts', 'export const = 1')).toThrow('render/planted.ts');
});
