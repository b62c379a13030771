/**
 * What tells whether two ids of messages are the same: servers echo a number as a string, and the SDK takes that for the same.
 *
 * @returns the number where it is one, else the id itself
 */
export function idKey(id: unknown): unknown {
  const number = typeof id === 'string' || typeof id === 'number' ? Number(id) : Number.NaN;
  return Number.isNaN(number) ? id : number;
}
