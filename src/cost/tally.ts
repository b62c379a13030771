import { weaker, type Count, type CountMethod } from './count.js';

/** The part of a block that belongs to one server: its heading and text, or its line of a list. */
export interface TallySection {
  readonly id: string;
  readonly text: string;
  /** Identifies the text: a hash of it. */
  readonly key: string;
}

/** A block that a request carries. */
export interface TallyBlock {
  readonly text: string;
  /** Identifies the text: a hash of it. */
  readonly key: string;
  /** Whether it is new in this request. */
  readonly added: boolean;
  readonly sections: readonly TallySection[];
}

/** The tokens of a request's blocks, shared out; see {@link tally}. */
export interface Tally {
  readonly added: number;
  readonly carried: number;
  readonly wrapper: number;
  readonly total: number;
  /** The weakest method among the counts; `counted` when there was nothing to count. */
  readonly method: CountMethod;
  /** By server id. */
  readonly servers: ReadonlyMap<string, number>;
}

/**
 * Adds up what a request's blocks cost and shares it out among the servers: `total` = `added` + `carried`, and the
 * servers' figures + `wrapper` = `total`, always.
 *
 * @param blocks the blocks that the request carries
 * @param count counts one text; called once for each block and each section
 * @returns the sums; all zero without blocks
 */
export function tally(blocks: readonly TallyBlock[], count: (text: string, key: string) => Count): Tally {
  const servers = new Map<string, number>();
  let method: CountMethod = 'counted';
  let added = 0;
  let carried = 0;
  let wrapper = 0;
  const measure = (text: string, key: string): number => {
    const figure = count(text, key);
    method = weaker(method, figure.method);
    return figure.tokens;
  };
  for (const block of blocks) {
    const whole = measure(block.text, block.key);
    if (block.added) added += whole;
    else carried += whole;
    const parts = block.sections.map((section) => measure(section.text, section.key));
    const spare = fit(parts, whole);
    wrapper += spare;
    for (const [index, section] of block.sections.entries()) {
      servers.set(section.id, (servers.get(section.id) ?? 0) + parts[index]!);
    }
  }
  return { added, carried, wrapper, total: added + carried, method, servers };
}

/** Lowers the largest parts, in place, until they fit into the whole. Returns what of the whole is left. */
function fit(parts: number[], whole: number): number {
  let spare = whole - parts.reduce((sum, part) => sum + part, 0);
  while (spare < 0) {
    const largest = parts.indexOf(Math.max(...parts));
    const cut = Math.min(-spare, parts[largest]!);
    parts[largest]! -= cut;
    spare += cut;
  }
  return spare;
}
