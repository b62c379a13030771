import type { Admission } from '../instructions/admit.js';
import { placeOfCut } from '../instructions/cut-place.js';

/**
 * Finds where in a text as received the part starts that the limits keep from a model.
 *
 * @param text as received
 * @param admission how it was admitted
 * @param maxChars the cap it was admitted with
 * @returns a position in UTF-16 units; `undefined` when the limits hide nothing
 */
export function hiddenFrom(text: string, admission: Admission, maxChars: number): number | undefined {
  if (!admission.truncated) return undefined;
  // Too long to be looked at, or without room for any of it.
  if (admission.keptChars === 0) return 0;
  return placeOfCut(text, maxChars, admission.keptChars);
}
