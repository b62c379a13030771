/** The hash of a section's bytes as rendered, under the id as printed. */
export type SectionHash = string;

/**
 * What one block said, recorded when it was written. Pairs, not objects: an id such as `__proto__` is an ordinary
 * one.
 */
export interface Said {
  readonly added: readonly (readonly [id: string, hash: SectionHash])[];
  readonly changed: readonly (readonly [id: string, hash: SectionHash])[];
  readonly restored: readonly string[];
  readonly removed: readonly string[];
}

/** What a reader of the request knows of one server. */
export interface ToldServer {
  /** The newest section that the request carries; `undefined` when it carries none. */
  readonly last: SectionHash | undefined;
  /** Whether it applies, or was withdrawn. */
  readonly inForce: boolean;
}

/** What a reader of the request knows, by printed id. */
export type Told = Map<string, ToldServer>;

/**
 * Lets a reader see one more block.
 *
 * @param told what the reader knew; changed in place
 * @param said what the block says
 */
export function hear(told: Told, said: Said): void {
  for (const [id, hash] of said.added) told.set(id, { last: hash, inForce: true });
  for (const [id, hash] of said.changed) told.set(id, { last: hash, inForce: true });
  for (const id of said.restored) told.set(id, { last: told.get(id)?.last, inForce: true });
  for (const id of said.removed) told.set(id, { last: told.get(id)?.last, inForce: false });
}
