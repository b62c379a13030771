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
  ascending.forEach(({ want, index }, done) => {
    // Those before took less than an equal part, so that the part of the others only grows.
    const part = Math.min(want, Math.floor(left / (ascending.length - done)));
    shares[index] = part;
    left -= part;
  });
  return shares;
}
