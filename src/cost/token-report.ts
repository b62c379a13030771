import type { Report, TokenReport } from './report.js';
import type { BandedTally } from './tally.js';

/**
 * The token part of a report.
 *
 * @param sums what the request's blocks cost
 * @param sentBefore tokens that the conversation's earlier requests sent for instructions
 * @param isSent whether the request itself is one that is answered, and counts among them
 */
export function tokenReport(sums: BandedTally, sentBefore: number, isSent: boolean): TokenReport {
  const { added, carried, wrapper, total, method, low, high, calibration, notCounted } = sums;
  return {
    added,
    carried,
    wrapper,
    total,
    method,
    calibration,
    low,
    high,
    notCounted,
    share: null,
    sinceStart: sentBefore + (isSent ? total : 0),
  };
}

/**
 * The report once it is known how much the request sent in all.
 *
 * @param report the request's report; not changed
 * @param usage the answer's `usage`
 * @returns a report with `tokens.share`; the same one when the usage tells nothing
 */
export function withUsage(report: Report, usage: unknown): Report {
  const input = inputTokensOf(usage);
  if (input === undefined) return report;
  return { ...report, tokens: { ...report.tokens, share: Math.min(1, report.tokens.total / input) } };
}

/**
 * The tokens that a request sent, cached ones included.
 *
 * @param usage an answer's `usage`, of the Messages API (`input_tokens` and its two cache fields), the Responses API
 *   (`input_tokens`) or Chat Completions (`prompt_tokens`)
 * @returns a positive whole number; `undefined` when there is none
 */
export function inputTokensOf(usage: unknown): number | undefined {
  if (typeof usage !== 'object' || usage === null) return undefined;
  const fields = fieldsBy.find(([first]) => typeof Reflect.get(usage, first) === 'number') ?? [];
  let sum = 0;
  for (const field of fields) {
    const tokens: unknown = Reflect.get(usage, field);
    if (typeof tokens === 'number' && tokens > 0) sum += tokens;
  }
  return Number.isSafeInteger(sum) && sum > 0 ? sum : undefined;
}

/** The fields that add up to the input, by the one that tells which API it is: a proxy may send those of two. */
const fieldsBy = [
  ['input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens'],
  ['prompt_tokens'],
] as const;
