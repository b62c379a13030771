import { posix } from 'node:path';

import type { ExportSpecifier, Node } from 'oxc-parser';

import type { Source } from './parse-source.js';
import { walk, type AnyNode } from './walk.js';

/** One name that an entry exports. */
export interface PublicName {
  readonly name: string;
  /** Whether it is there at run time. */
  readonly kind: 'value' | 'type';
  /** The module that declares it. */
  readonly source: Source;
  readonly declaration: Node;
  /** Where the statement starts, `export` included. */
  readonly start: number;
}

/** A name that a module declares or takes from elsewhere. */
interface Found {
  readonly source: Source;
  readonly declaration: Node;
  readonly start: number;
}

type Tree = ReadonlyMap<string, Source>;

function nameOf(node: ExportSpecifier['local'] | undefined): string {
  if (node === undefined) return '';
  return node.type === 'Literal' ? node.value : node.name;
}

function declaredNames(node: Node): string[] {
  if (node.type === 'VariableDeclaration') {
    return node.declarations.map(({ id }) => (id.type === 'Identifier' ? id.name : ''));
  }
  const id: unknown = 'id' in node ? node.id : undefined;
  return typeof id === 'object' && id !== null && 'name' in id ? [String(id.name)] : [];
}

function moduleOf(from: Source, specifier: string, tree: Tree): Source | undefined {
  if (!specifier.startsWith('.')) return undefined;
  return tree.get(posix.join(posix.dirname(from.path), specifier).replace(/\.js$/, '.ts'));
}

/**
 * Finds where a name comes from, through imports and re-exports.
 *
 * @returns `undefined` when it is no name of the tree, such as a global's or a package's
 */
function find(name: string, source: Source, tree: Tree): Found | undefined {
  for (const statement of source.program.body) {
    if (statement.type === 'ImportDeclaration') {
      for (const specifier of statement.specifiers) {
        if (specifier.local.name !== name || specifier.type !== 'ImportSpecifier') continue;
        const target = moduleOf(source, statement.source.value, tree);
        return target === undefined ? undefined : find(nameOf(specifier.imported), target, tree);
      }
      continue;
    }
    if (statement.type === 'ExportNamedDeclaration' && statement.source !== null) {
      const specifier = statement.specifiers.find(({ exported }) => nameOf(exported) === name);
      if (specifier === undefined) continue;
      const target = moduleOf(source, statement.source.value, tree);
      return target === undefined ? undefined : find(nameOf(specifier.local), target, tree);
    }
    const declaration =
      statement.type === 'ExportNamedDeclaration' ? statement.declaration : (statement as Node);
    if (declaration !== null && declaredNames(declaration).includes(name)) {
      return { source, declaration, start: statement.start };
    }
  }
  return undefined;
}

function isErased(declaration: Node): boolean {
  return declaration.type === 'TSInterfaceDeclaration' || declaration.type === 'TSTypeAliasDeclaration';
}

/**
 * What an entry exports.
 *
 * @param entry the entry's path
 * @param tree the modules, by path
 * @throws Error when an export leads nowhere, or is a wildcard
 */
export function publicNames(entry: string, tree: Tree): PublicName[] {
  const source = tree.get(entry);
  if (source === undefined) throw new Error(`no module ${entry}`);
  const names: PublicName[] = [];
  const add = (name: string, isType: boolean): void => {
    const found = find(name, source, tree);
    if (found === undefined) throw new Error(`${entry}: ${name} leads nowhere`);
    names.push({ name, kind: isType || isErased(found.declaration) ? 'type' : 'value', ...found });
  };
  for (const statement of source.program.body) {
    if (statement.type === 'ExportAllDeclaration')
      throw new Error(`${entry}: every name is to be written out`);
    if (statement.type !== 'ExportNamedDeclaration') continue;
    for (const { exported, exportKind } of statement.specifiers) {
      add(nameOf(exported), statement.exportKind === 'type' || exportKind === 'type');
    }
    if (statement.declaration !== null)
      for (const name of declaredNames(statement.declaration)) add(name, false);
  }
  return names;
}

/** @returns the doc comment that stands right before a place, without its signs; `undefined` when there is none */
export function docBefore(source: Source, start: number): string | undefined {
  const comment = source.comments.findLast(({ end }) => end <= start);
  if (comment?.type !== 'Block' || !comment.value.startsWith('*')) return undefined;
  if (source.text.slice(comment.end, start).trim() !== '') return undefined;
  return comment.value.replaceAll(/^[\s*]+/gm, '').trim();
}

/** Private members, constructors, bodies, and what is marked `@internal` and so left out of the published types. */
function isHidden(node: AnyNode, source: Source): boolean {
  if (node.type === 'BlockStatement') return true;
  if (node.type !== 'PropertyDefinition' && node.type !== 'MethodDefinition') return false;
  if (node.key.type === 'PrivateIdentifier') return true;
  if (node.type === 'MethodDefinition' && node.kind === 'constructor') return true;
  return docBefore(source, node.start)?.includes('@internal') ?? false;
}

/**
 * The types of the tree that a public name's signature speaks of: not what its bodies use, nor its private members, nor a
 * constructor, since hosts construct nothing.
 */
export function typesInSignature({ source, declaration }: PublicName, tree: Tree): Set<string> {
  const types = new Set<string>();
  walk(
    declaration,
    (node) => {
      if (node.type !== 'TSTypeReference' || node.typeName.type !== 'Identifier') return;
      const { name } = node.typeName;
      const found = find(name, source, tree);
      if (found !== undefined) types.add(declaredNames(found.declaration)[0] ?? name);
    },
    (node) => isHidden(node, source),
  );
  return types;
}

/** A field or method of a public interface or class. */
export interface PublicMember {
  /** `Name.member`. */
  readonly name: string;
  readonly doc: string | undefined;
}

/**
 * @returns the members that a host can use: those of an interface or class, without constructors, private ones, and what a class
 *   takes over from an interface or a base, whose comments hold for it too
 */
export function membersOf({ name, source, declaration }: PublicName): PublicMember[] {
  if (declaration.type !== 'TSInterfaceDeclaration' && declaration.type !== 'ClassDeclaration') return [];
  if (declaration.type === 'ClassDeclaration' && (declaration.implements ?? []).length > 0) return [];
  const members: PublicMember[] = [];
  for (const member of declaration.body.body) {
    if (!('key' in member) || isHidden(member, source) || member.key.type === 'PrivateIdentifier') continue;
    if ('override' in member && member.override) continue;
    const { key } = member;
    const label = source.text.slice(key.start, key.end);
    members.push({ name: `${name}.${label}`, doc: docBefore(source, member.start) });
  }
  return members;
}
