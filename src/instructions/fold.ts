import { latinLookAlike } from './look-alikes.js';

// Written as escapes: some of these characters are canonically equal, and an editor may merge them.

/** Brackets that print like `<`, or that people and models use for it. */
export const OPENERS: string = [
  // less-than signs: plain, full-width, small, struck through, double, and those of other scripts
  '<\uff1c\ufe64\u226e\u226a\u22d8\u22d6\u227a\u2aa1\u2abb\u02c2\u02f1\u1438\u16b2\u{1d236}',
  // quotation marks
  '\u2039\u00ab\u276e\u2770',
  // angle brackets, vertical forms included
  '\u2329\u3008\u300a\u27e8\u27ea\u276c\u2991\u2993\u2989\u29fc\u29d8\ufe3f\ufe3d',
].join('');

/** What may stand between a bracket and a tag's name. */
const LEADS: string = [
  // ASCII: slashes, and what starts comments, instructions and the like
  '/\\!?:;.,*#"\'`~^|@&+=%$',
  // slashes of all kinds
  '\u2215\u2044\u29f8\u29f5\u2571\u2572\u27cb\u27cd\u2216\u2afd\u2afb\u3033\u30ce\u4e3f\u1735\u2041\u31d3\u31c0\u29f6\u00f7',
  // other punctuation
  '\u00b4\u00a6\u203c\u2047\u2026\u00b7\u2022\u2236\u055d\u05c0',
].join('');

/** Dashes and the like that Unicode's tables count neither as dash nor as connector. */
const DASHES: string = [
  // minus, long-vowel marks, Hangul and Han strokes
  '\u2212\u30fc\uff70\u4e00\u3161\u3127\u1173\u1428\u31d0',
  // box drawing and rules
  '\u2500\u2501\u254c\u254d\u2504\u2505\u2508\u2509\u2574\u2576\u2578\u257a\u257c\u257e\u23af\u23e4\u23bc\u23bd\u23ba\u23bb',
  // modifiers, overlines, bullets, tildes
  '\u2043\u02d7\u203e\u00af\u2796\ua7f7\u223c',
].join('');

/** A leading bracket, in the folded view. */
export const OPENER = '<';
/** What may stand before a name, in the folded view. */
export const LEAD = '/';

const GAPS = /^[\p{M}\p{C}\p{Z}\p{Pd}\p{Pc}\s\u115f\u1160\u3164\uffa0\u2800\ufffd]$/u;

/** Digits and signs that people write for letters. */
const DIGITS: Readonly<Record<string, string>> = { '0': 'o', '1': 'i', '3': 'e', '5': 's', '7': 't', l: 'i' };

const special = new Map<string, string>([
  ...Array.from(DASHES, (character): [string, string] => [character, '']),
  ...Array.from(LEADS, (character): [string, string] => [character, LEAD]),
  ...Array.from(OPENERS, (character): [string, string] => [character, OPENER]),
]);

/** Decomposing is slow, and a text uses few characters over and over. */
const remembered = new Map<string, string>();
const MAX_REMEMBERED = 1024;

const asciiFolds: readonly string[] = Array.from({ length: 128 }, (_, code) =>
  foldOne(String.fromCharCode(code)),
);

/**
 * How a character looks in the folded view, where only brackets, slashes and letters are left.
 *
 * @param character one code point
 * @returns `''` for what no reader sees and for spaces and dashes, {@link OPENER}, {@link LEAD}, else lower-case letters as
 *   they print (more than one for ligatures)
 */
export function foldCharacter(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 128) return asciiFolds[code] ?? '';
  let folded = remembered.get(character);
  if (folded === undefined) {
    folded = foldDecomposed(character);
    if (remembered.size >= MAX_REMEMBERED) remembered.clear();
    remembered.set(character, folded);
  }
  return folded;
}

function foldDecomposed(character: string): string {
  const listed = special.get(character);
  if (listed !== undefined) return listed;
  let folded = '';
  for (const part of character.normalize('NFKD')) folded += foldOne(part);
  return folded;
}

function foldOne(character: string): string {
  const listed = special.get(character);
  if (listed !== undefined) return listed;
  if (GAPS.test(character)) return '';
  const letter = latinLookAlike(character);
  return DIGITS[letter] ?? letter;
}
