import { alikeIds } from '../instructions/alike-ids.js';
import { printIds } from '../render/print-ids.js';

/** What a flag says of a server whose id a reader would take for another's. */
const ALIKE = ['alike-id'] as const;
const NONE: readonly string[] = [];

/** What follows from the ids of all servers. They change rarely, requests come all the time. */
export class ServerNames {
  #printed: ReadonlyMap<string, string> = new Map();
  #alike: ReadonlySet<string> = new Set();
  #others: ReadonlyMap<string, readonly string[]> = new Map();

  /** @param ids of all servers there are */
  update(ids: readonly string[]): void {
    const last = this.#printed;
    if (last.size === ids.length && ids.every((id) => last.has(id))) return;
    this.#printed = printIds(ids);
    this.#alike = new Set(alikeIds(ids).flat());
    this.#others = new Map(ids.map((id) => [id, ids.filter((other) => other !== id)]));
  }

  /** How each id is printed, sorted by id in code-unit order. */
  get printed(): ReadonlyMap<string, string> {
    return this.#printed;
  }

  /** @returns the other ids; the same array until the ids change */
  others(id: string): readonly string[] {
    return this.#others.get(id) ?? NONE;
  }

  /** @returns flags of the id itself */
  flags(id: string): readonly string[] {
    return this.#alike.has(id) ? ALIKE : NONE;
  }
}
