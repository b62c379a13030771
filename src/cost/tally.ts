import { weaker, type Count, type CountMethod, type Figure, type NotCounted } from './count.js';

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

/** A {@link Tally} with what is known about how good it is. */
export interface BandedTally extends Tally {
  /** Lower end of the band of `total`. */
  readonly low: number;
  /** Upper end of the band of `total`. */
  readonly high: number;
  /** The calibration that made `total`, or a part of it; `null` without one. */
  readonly calibration: string | null;
  /** Why `total` was not counted exactly, where that was wanted; `null` when it was, or it was not wanted. */
  readonly notCounted: NotCounted | null;
}

/** Whether a whole block is counted or a part of one. */
export type TallyPart = 'block' | 'section';

/**
 * Adds up what a request's blocks cost and shares it out among the servers: `total` = `added` + `carried`, and the
 * servers' figures + `wrapper` = `total`, always. Shares of a block that was counted exactly are estimates, scaled to it.
 *
 * @param blocks the blocks that the request carries
 * @param count counts one text; called once for each block and each section. A band may be missing: it is then the figure
 * @returns the sums; all zero without blocks
 */
export function tally(
  blocks: readonly TallyBlock[],
  count: (text: string, key: string, part: TallyPart) => Count | Figure,
): BandedTally {
  const servers = new Map<string, number>();
  let method: CountMethod = 'counted';
  let calibration: string | null = null;
  let notCounted: NotCounted | null = null;
  let [added, carried, wrapper, low, high] = [0, 0, 0, 0, 0];
  for (const block of blocks) {
    const whole = asFigure(count(block.text, block.key, 'block'));
    const { tokens, estimated = tokens } = whole;
    method = weaker(method, whole.method);
    calibration ??= whole.calibration;
    notCounted ??= whole.notCounted ?? null;
    low += whole.low;
    high += whole.high;
    if (block.added) added += tokens;
    else carried += tokens;
    const scale = estimated === 0 ? 1 : tokens / estimated;
    const parts = block.sections.map((section) => {
      const part = count(section.text, section.key, 'section');
      if (whole.estimated === undefined) method = weaker(method, part.method);
      return Math.round(part.tokens * scale);
    });
    wrapper += fit(parts, tokens);
    for (const [index, section] of block.sections.entries()) {
      servers.set(section.id, (servers.get(section.id) ?? 0) + parts[index]!);
    }
  }
  const total = added + carried;
  return { added, carried, wrapper, total, method, low, high, calibration, notCounted, servers };
}

function asFigure(count: Count | Figure): Figure {
  return 'low' in count ? count : { ...count, low: count.tokens, high: count.tokens, calibration: null };
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
