import { kindOf, nextOfAnyKind } from './characters.js';
import { addCounts, type FlagCounts, type PassResult } from './flags.js';
import { tidyJoiners } from './joiners.js';

/**
 * Terminal escapes: CSI sequences, control strings (OSC, DCS, …) with their payload, character sets. A control string counts
 * only when it is closed on the same line; its body holds no control, which keeps this linear.
 */
export const escapeSequences: RegExp =
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b[P\]X^_]|[\x90\x98\x9d-\x9f])[^\x00-\x1f\x7f-\x9f]*(?:\x07|\x1b\\|\x9c)|\x1b[()][0-9AB]/g;

/** England, Scotland and Wales are written with tag characters; everything else in that block is hidden text. */
const TAGGED_FLAG =
  /\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}/uy;
const BLACK_FLAG_UNITS = 2;
const TAGGED_FLAG_UNITS = 14;

const PRINTABLE_ASCII = /^[\t\n\x20-\x7e]*$/;

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
  // Escape sequences need their ESC, so they go before the controls.
  const plain = text.replaceAll(escapeSequences, () => {
    counts['ansi-escape'] = (counts['ansi-escape'] ?? 0) + 1;
    return '';
  });
  const visible = removeKinds(plain, counts);
  const tidied = tidyJoiners(visible);
  addCounts(counts, tidied.counts);
  return { text: tidied.text, counts };
}

/** Removes every character whose kind does not depend on its neighbours. */
function removeKinds(text: string, counts: FlagCounts): string {
  const parts: string[] = [];
  let done = 0;
  for (let at = nextOfAnyKind(text, 0); at < text.length;) {
    const point = text.codePointAt(at) ?? 0;
    const kind = kindOf(point);
    const units = point > 0xffff ? 2 : 1;
    if (kind === undefined || kind === 'joining') {
      at = nextOfAnyKind(text, at + units);
    } else if (kind === 'tag-characters' && isTaggedFlag(text, at - BLACK_FLAG_UNITS)) {
      at = nextOfAnyKind(text, at - BLACK_FLAG_UNITS + TAGGED_FLAG_UNITS);
    } else {
      if (at > done) parts.push(text.slice(done, at));
      counts[kind] = (counts[kind] ?? 0) + 1;
      at += units;
      done = at;
      // The next one is removed most often: floods come in runs.
      if (kindOf(text.codePointAt(at) ?? 0x20) === undefined) at = nextOfAnyKind(text, at);
    }
  }
  if (done === 0) return text;
  parts.push(text.slice(done));
  return parts.join('');
}

function isTaggedFlag(text: string, index: number): boolean {
  TAGGED_FLAG.lastIndex = index;
  return index >= 0 && TAGGED_FLAG.test(text);
}
