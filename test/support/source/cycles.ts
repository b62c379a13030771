/**
 * Finds the cycles of a graph: its strongly connected parts of more than one member, and members that point at themselves.
 *
 * @param edges what each member points at
 * @returns each cycle as the members it has, sorted
 */
export function findCycles(edges: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const reach = (start: string): Set<string> => {
    const seen = new Set<string>();
    const queue = [...(edges.get(start) ?? [])];
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      if (seen.has(next)) continue;
      seen.add(next);
      queue.push(...(edges.get(next) ?? []));
    }
    return seen;
  };
  const reached = new Map([...edges.keys()].map((member) => [member, reach(member)]));
  const cycles = new Map<string, string[]>();
  for (const [member, reachable] of reached) {
    if (!reachable.has(member)) continue;
    const cycle = [...reachable].filter((other) => reached.get(other)?.has(member) === true).sort();
    cycles.set(cycle.join(' '), cycle);
  }
  return [...cycles.values()];
}
