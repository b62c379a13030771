import { addCounts, type Flag, type FlagCounts, type PassResult } from './flags.js';
import { tidyJoiners } from './joiners.js';

/** One kind of character that is removed wherever it stands. */
interface Removal {
  readonly flag: Flag;
  readonly pattern: RegExp;
  /** UTF-16 units of one such character, to count characters. */
  readonly units: number;
}

/**
 * In this order: escape sequences need their ESC, which is a control character too. A control string (OSC, DCS, …) is removed
 * with its payload only when it is closed on the same line; its body holds no control, which keeps this linear.
 */
const REMOVALS: readonly Removal[] = [
  {
    flag: 'ansi-escape',
    pattern:
      /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b[P\]X^_]|[\x90\x98\x9d-\x9f])[^\x00-\x1f\x7f-\x9f]*(?:\x07|\x1b\\|\x9c)|\x1b[()][0-9AB]/gu,
    units: 0,
  },
  { flag: 'control-characters', pattern: /[\x00-\x08\x0b-\x1f\x7f-\x9f]+/gu, units: 1 },
  { flag: 'bidi-controls', pattern: /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu, units: 1 },
  {
    flag: 'private-use',
    pattern: /\p{Co}+/gu,
    units: 1,
  },
  {
    flag: 'invisible-characters',
    pattern:
      /[\u00ad\u034f\u115f\u1160\u17b4\u17b5\u2060-\u2065\u206a-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\p{NChar}\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0080}-\u{e00ff}\u{e01f0}-\u{e0fff}]+/gu,
    units: 1,
  },
];

/** England, Scotland and Wales are written with tag characters; everything else in that block is hidden text. */
const TAG_CHARACTERS =
  /(\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f})|[\u{e0000}-\u{e007f}]+/gu;

const PRINTABLE_ASCII = /^[\t\n\x20-\x7e]*$/u;

/**
 * Removes what no reader sees: terminal escapes, controls, direction marks, tag characters, private use, zero-width and
 * blank-looking characters. Joiners and variation selectors stay where script or emoji wants them. Comes before the reserved
 * tags, as removing could form one.
 *
 * @param text a well-formed text with `\n` line ends
 * @returns the text, and characters removed by kind (escape sequences by sequence); idempotent
 */
export function clean(text: string): PassResult {
  if (PRINTABLE_ASCII.test(text)) return { text, counts: {} };
  const counts: FlagCounts = {};
  let cleaned = text;
  for (const { flag, pattern, units } of REMOVALS) {
    const before = cleaned;
    cleaned = before.replaceAll(pattern, '');
    if (cleaned === before) continue;
    counts[flag] = units === 0 ? (before.match(pattern)?.length ?? 0) : before.length - cleaned.length;
  }
  const tagged = cleaned;
  cleaned = tagged.replaceAll(TAG_CHARACTERS, '$1');
  if (cleaned !== tagged) counts['tag-characters'] = (tagged.length - cleaned.length) / 2;
  const tidied = tidyJoiners(cleaned);
  addCounts(counts, tidied.counts);
  return { text: tidied.text, counts };
}
