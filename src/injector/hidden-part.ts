import { admit, type Admission } from '../instructions/admit.js';

/** More than any text has that is looked at. */
const NO_LIMIT = 1_048_576;

/**
 * Finds where in a text as received the part starts that the limits keep from a model.
 *
 * @param text as received
 * @param admission how it was admitted
 * @param sha256 SHA-256 in hex
 * @returns a position in UTF-16 units, not before the end of what is shown; `undefined` when nothing is hidden or it cannot be told
 */
export function hiddenFrom(
  text: string,
  admission: Admission,
  sha256: (text: string) => string,
): number | undefined {
  if (!admission.truncated || admission.chars > NO_LIMIT) return undefined;
  const whole = admit(text, { maxChars: NO_LIMIT, sha256 });
  const cleaned = whole.text.slice(0, whole.keptChars);
  const shown = admission.text.slice(0, admission.keptChars);
  return cleaned.startsWith(shown) ? startOf(cleaned, shown.length, text) : undefined;
}

/**
 * Cleaning removes characters and replaces some one by one, so that the hidden part is found again from the end. Where removed
 * characters stand at the cut, they count as before it: what a model reads must never look hidden.
 */
function startOf(cleaned: string, from: number, text: string): number | undefined {
  let at = text.length;
  for (let index = cleaned.length - 1; index >= from; index -= 1) {
    at -= 1;
    while (at >= 0 && !isSame(cleaned.charCodeAt(index), text.charCodeAt(at))) at -= 1;
    if (at < 0) return undefined;
  }
  return at;
}

const BRACKET = 0x5b;
const LINE_END = 0x0a;
/** CR, VT, FF, NEL and the two separators. */
const OTHER_LINE_ENDS: ReadonlySet<number> = new Set([0x0d, 0x0b, 0x0c, 0x85, 0x2028, 0x2029]);
const REPLACEMENT = 0xfffd;

function isSame(cleaned: number, received: number): boolean {
  if (cleaned === received) return true;
  if (cleaned === BRACKET) return !isWordOrSpace(received);
  if (cleaned === LINE_END) return OTHER_LINE_ENDS.has(received);
  return cleaned === REPLACEMENT && received >= 0xd800 && received <= 0xdfff;
}

/** What stands for the opening bracket of a reserved tag is a sign of some kind. */
function isWordOrSpace(unit: number): boolean {
  return /[\p{L}\p{N}\s]/u.test(String.fromCharCode(unit));
}
