import { parseSync, type Comment, type Program } from 'oxc-parser';

import { isNode, walk, type AnyNode } from './walk.js';

/** How one module names another: erased by the compiler, loaded with the module, or loaded on demand. */
export type ImportKind = 'type' | 'static' | 'dynamic';

/** One mention of another module. */
export interface SourceImport {
  readonly specifier: string;
  readonly kind: ImportKind;
  readonly line: number;
}

/** A name as it is read: `process`, or with the property after it, `Math.random`. */
export interface SourceName {
  readonly name: string;
  readonly line: number;
}

/** One module, read. */
export interface Source {
  /** Relative to the root of the tree, with `/`. */
  readonly path: string;
  readonly lineCount: number;
  readonly program: Program;
  readonly comments: readonly Comment[];
  readonly text: string;
  readonly imports: readonly SourceImport[];
  /** Every name that is read, wherever it comes from; properties and keys left out. */
  readonly names: readonly SourceName[];
}

function importOf(node: AnyNode): { kind: ImportKind; source: unknown } | undefined {
  switch (node.type) {
    case 'ImportDeclaration':
      return { kind: node.importKind === 'type' ? 'type' : 'static', source: node.source };
    case 'ExportAllDeclaration':
      return { kind: node.exportKind === 'type' ? 'type' : 'static', source: node.source };
    case 'ExportNamedDeclaration':
      if (node.source === null) return undefined;
      return { kind: node.exportKind === 'type' ? 'type' : 'static', source: node.source };
    case 'TSExternalModuleReference':
      return { kind: 'static', source: node.expression };
    case 'ImportExpression':
      return { kind: 'dynamic', source: node.source };
    case 'TSImportType':
      return { kind: 'type', source: node.source };
    default:
      return undefined;
  }
}

function isLabel(parent: AnyNode | undefined, field: string): boolean {
  if (parent === undefined) return false;
  if (parent.type === 'MemberExpression') return field === 'property' && !parent.computed;
  if (parent.type === 'TSQualifiedName') return field === 'right';
  return field === 'key' && 'computed' in parent && !parent.computed;
}

/**
 * Reads one module.
 *
 * @param path relative to the root of its tree; the ending says which syntax it has
 * @param text its source
 * @throws Error when it cannot be parsed: a module that is not read is not checked either
 */
export function parseSource(path: string, text: string): Source {
  const { program, comments, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path}: ${errors.map((error) => error.message).join('; ')}`);
  const lineOf = (offset: number): number => text.slice(0, offset).split('\n').length;
  const imports: SourceImport[] = [];
  const names: SourceName[] = [];
  walk(program, (node, parent, field) => {
    if (node.type === 'Identifier' && !isLabel(parent, field)) {
      names.push({ name: node.name, line: lineOf(node.start) });
    }
    if (node.type === 'MemberExpression' && !node.computed && node.object.type === 'Identifier') {
      names.push({ name: `${node.object.name}.${node.property.name}`, line: lineOf(node.start) });
    }
    const found = importOf(node);
    if (found === undefined) return;
    const { source, kind } = found;
    const value: unknown = isNode(source) && source.type === 'Literal' ? source.value : undefined;
    imports.push({
      specifier: typeof value === 'string' ? value : '<computed>',
      kind,
      line: lineOf(node.start),
    });
  });
  return { path, lineCount: text.trimEnd().split('\n').length, program, comments, text, imports, names };
}
