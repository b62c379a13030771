import { findCycles } from './cycles.js';
import {
  EAGER_PACKAGES,
  folderOf,
  IMPURE_NAMES,
  layerOf,
  MAX_LINES,
  PORTABLE_ENTRIES,
  PURE,
  PURE_PACKAGES,
} from './layers.js';
import type { ImportKind, Source } from './parse-source.js';
import { resolve, type Target } from './resolve.js';

/** The rules, by name. */
export type Rule =
  | 'unknown-folder'
  | 'missing-module'
  | 'computed-import'
  | 'upward-import'
  | 'module-cycle'
  | 'folder-cycle'
  | 'impure-import'
  | 'impure-name'
  | 'eager-import'
  | 'too-long';

/** One place where a rule is broken. */
export interface Violation {
  readonly rule: Rule;
  /** `path:line`, or the members of a cycle. */
  readonly where: string;
  readonly what: string;
}

/** What was found in a tree, and how much was looked at. */
export interface Findings {
  readonly modules: number;
  readonly imports: Readonly<Record<ImportKind, number>>;
  readonly violations: readonly Violation[];
}

interface Edge {
  readonly from: Source;
  readonly line: number;
  readonly kind: ImportKind;
  readonly specifier: string;
  readonly target: Target;
}

/** Checks a tree against the layers. */
export function checkArchitecture(sources: readonly Source[]): Findings {
  const tree = new Map(sources.map((source) => [source.path, source]));
  const edges: Edge[] = sources.flatMap((from) =>
    from.imports.map((found) => ({ from, ...found, target: resolve(from.path, found.specifier, tree) })),
  );
  const count = (kind: ImportKind): number => edges.filter((edge) => edge.kind === kind).length;
  return {
    modules: sources.length,
    imports: { type: count('type'), static: count('static'), dynamic: count('dynamic') },
    violations: [
      ...sources.flatMap(checkModule),
      ...edges.flatMap(checkEdge),
      ...checkCycles(edges),
      ...checkPortable(sources, edges),
    ],
  };
}

function isPure(path: string): boolean {
  return PURE.includes(folderOf(path));
}

function checkModule({ path, lineCount, names }: Source): Violation[] {
  const violations: Violation[] = [];
  if (layerOf(path) === -1) {
    violations.push({ rule: 'unknown-folder', where: path, what: `${folderOf(path)} has no layer` });
  }
  if (lineCount > MAX_LINES) {
    violations.push({ rule: 'too-long', where: path, what: `${lineCount} lines, at most ${MAX_LINES}` });
  }
  if (!isPure(path)) return violations;
  const impure = names.filter(({ name }) => IMPURE_NAMES.includes(name));
  return [
    ...violations,
    ...impure.map(({ name, line }) => ({
      rule: 'impure-name' as const,
      where: `${path}:${line}`,
      what: name,
    })),
  ];
}

function checkEdge({ from, line, specifier, target }: Edge): Violation[] {
  const where = `${from.path}:${line}`;
  if (specifier === '<computed>') {
    return [{ rule: 'computed-import', where, what: 'the specifier is not a text' }];
  }
  switch (target.kind) {
    case 'missing':
      return [{ rule: 'missing-module', where, what: target.path }];
    case 'module':
      if (layerOf(target.path) <= layerOf(from.path)) return [];
      return [{ rule: 'upward-import', where, what: target.path }];
    case 'node':
      return isPure(from.path) ? [{ rule: 'impure-import', where, what: target.name }] : [];
    case 'package':
      if (!isPure(from.path) || PURE_PACKAGES.includes(target.name)) return [];
      return [{ rule: 'impure-import', where, what: target.name }];
  }
}

/** An import on demand counts too: a cycle is a cycle, whenever it closes. */
function checkCycles(edges: readonly Edge[]): Violation[] {
  const modules = new Map<string, Set<string>>();
  const folders = new Map<string, Set<string>>();
  const add = (graph: Map<string, Set<string>>, from: string, to: string): void => {
    graph.set(from, (graph.get(from) ?? new Set()).add(to));
  };
  for (const { from, target } of edges) {
    if (target.kind !== 'module') continue;
    add(modules, from.path, target.path);
    const [own, other] = [folderOf(from.path), folderOf(target.path)];
    if (own !== other) add(folders, own, other);
  }
  return [
    ...findCycles(modules).map((cycle) => violationOf('module-cycle', cycle)),
    ...findCycles(folders).map((cycle) => violationOf('folder-cycle', cycle)),
  ];
}

function violationOf(rule: Rule, cycle: readonly string[]): Violation {
  return { rule, where: cycle.join(', '), what: `${cycle.length} in one cycle` };
}

/** What loads together with a portable entry must run without Node, and bring no package along but those named. */
function checkPortable(sources: readonly Source[], edges: readonly Edge[]): Violation[] {
  const isEntry = (path: string): boolean =>
    PORTABLE_ENTRIES.some((entry) => path === entry || (entry.endsWith('/') && path.startsWith(entry)));
  const loaded = new Set(sources.map((source) => source.path).filter(isEntry));
  const violations: Violation[] = [];
  for (const path of loaded) {
    for (const { from, line, kind, target } of edges) {
      if (from.path !== path || kind !== 'static') continue;
      const where = `${path}:${line}`;
      // A set takes in what is added while it is gone through.
      if (target.kind === 'module') loaded.add(target.path);
      else if (target.kind === 'node') violations.push({ rule: 'eager-import', where, what: target.name });
      else if (target.kind === 'package' && !EAGER_PACKAGES.includes(target.name)) {
        violations.push({ rule: 'eager-import', where, what: target.name });
      }
    }
  }
  return violations;
}
