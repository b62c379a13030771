/**
 * Shares a budget fairly: as if water were poured into all at once, small wants are met whole and large ones get equal parts.
 * Depends on nothing but its arguments; what is left because equal parts are whole numbers stays unused.
 *
 * @param wants how much each would take; not negative
 * @param total how much there is; nothing when negative
 * @returns a share for each, in the order of `wants`: at most what it wants, together at most `total`
 */
export function shareFairly(wants: readonly number[], total: number): number[] {
  const ascending = wants.map((want, index) => ({ want, index })).toSorted((a, b) => a.want - b.want);
  const shares = wants.map(() => 0);
  let left = Math.max(0, total);
  let level = Number.POSITIVE_INFINITY;
  ascending.forEach(({ want, index }, done) => {
    const part = Math.floor(left / (ascending.length - done));
    // The first that does not get all it wants decides for the rest, which want no less.
    if (part < want) level = Math.min(level, part);
    shares[index] = Math.min(want, level);
    left -= shares[index];
  });
  return shares;
}
