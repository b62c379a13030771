import type { Node, Program } from 'oxc-parser';

/** Any node of a module's tree, its root included. */
export type AnyNode = Node | Program;

/** @returns whether a value is a node of a tree */
export function isNode(value: unknown): value is AnyNode {
  return typeof value === 'object' && value !== null && typeof Reflect.get(value, 'type') === 'string';
}

/**
 * Calls back for a node and every node in it.
 *
 * @param root where to start
 * @param visit gets the node, its parent, and the parent's field that holds it
 * @param isSkipped whether a node is left out, with all in it
 */
export function walk(
  root: AnyNode,
  visit: (node: AnyNode, parent: AnyNode | undefined, field: string) => void,
  isSkipped: (node: AnyNode) => boolean = () => false,
): void {
  const step = (at: AnyNode, parent: AnyNode | undefined, field: string): void => {
    if (isSkipped(at)) return;
    visit(at, parent, field);
    for (const [key, value] of Object.entries(at)) {
      if (Array.isArray(value)) {
        for (const item of value) if (isNode(item)) step(item, at, key);
      } else if (isNode(value)) step(value, at, key);
    }
  };
  step(root, undefined, '');
}
