import type { O200k } from './o200k.js';

/** No token is longer, in bytes, and no UTF-16 unit is shorter than one. */
const MAX_TOKEN_BYTES = 128;

/**
 * Finds how much of a text a number of tokens holds.
 *
 * @param o200k counts
 * @param text any text
 * @param maxTokens at least 0
 * @returns a generator that yields every few milliseconds of work and returns the length in UTF-16 units of a start of the text that has
 *   at most `maxTokens` tokens; it may end within a character
 */
export function* tokenPrefix(o200k: O200k, text: string, maxTokens: number): Generator<undefined, number> {
  const seen = { end: 0, tokens: 0, overEnd: -1 };
  const steps = o200k.countInSteps(text, (_start, end, tokens) => {
    if (seen.overEnd >= 0) return;
    if (seen.tokens + tokens > maxTokens) {
      seen.overEnd = end;
    } else {
      seen.tokens += tokens;
      seen.end = end;
    }
  });
  while (steps.next().done !== true) {
    if (seen.overEnd >= 0) break;
    yield;
  }
  if (seen.overEnd < 0) return text.length;
  // The piece that is too much may be long: a run without a space.
  const left = maxTokens - seen.tokens;
  let low = 0;
  let high = Math.min(seen.overEnd - seen.end - 1, left * MAX_TOKEN_BYTES);
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    const count = yield* o200k.countInSteps(text.slice(seen.end, seen.end + middle));
    if (count <= left) low = middle;
    else high = middle - 1;
  }
  return seen.end + low;
}
