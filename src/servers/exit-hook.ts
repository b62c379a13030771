import { ProcessHunt } from './process-hunt.js';
import type { ProcessTree } from './process-tree.js';

const alive = new Set<ProcessTree>();

/** Sees to it that the tree does not outlive the host where the host ends without closing. One listener serves all. */
export function killAtExit(tree: ProcessTree): void {
  if (alive.size === 0) process.on('exit', killAll);
  alive.add(tree);
}

/** The tree is gone. */
export function forgetAtExit(tree: ProcessTree): void {
  if (alive.delete(tree) && alive.size === 0) process.off('exit', killAll);
}

function killAll(): void {
  for (const tree of alive) tree.killRoot();
  const hunt = new ProcessHunt();
  hunt.catchUp(() => {
    for (const tree of alive) tree.kill(hunt.rows);
  });
}
