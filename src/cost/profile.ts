import type { Profile } from './features.js';
import type { O200k } from './o200k.js';
import { ProfileBuilder } from './profile-builder.js';

/**
 * Takes a text's profile.
 *
 * @param o200k the encoding
 * @param text any text
 * @returns a generator that yields every few milliseconds of work and returns the profile
 */
export function* profileInSteps(o200k: O200k, text: string): Generator<undefined, Profile> {
  const builder = new ProfileBuilder(text);
  const tokens = yield* o200k.countInSteps(text, (start, end, count, rank) => {
    builder.add(start, end, count, rank);
  });
  return builder.finish(tokens);
}
