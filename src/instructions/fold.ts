import { latinLookAlike } from './look-alikes.js';

/** Brackets that print like `<`, or that people and models use for it. */
export const OPENERS = '<＜﹤≮‹«˂ᐸᚲ〈〈《⟨⟪❮❬❰⦑⧼⦉⪡≪⋘⋖≺⊂⊏⧀˱⟬⪻';
/** One of them takes two units. */
const ASTRAL_OPENERS = '𝈶';

/** What may stand between a bracket and a tag's name: slashes, and what starts other kinds of tag. */
const LEADS = '/\\∕⁄⧸⧵╱╲⟋⟍∖⫽⫻〳ノ丿᜵⁁㇓㇀⧶⃠÷!?:;.,*#"\'`´~^|¦@&+=‼⁇…·•∶՝׀%$';

/** Dashes and the like that are neither punctuation-dash nor connector in Unicode's tables. */
const DASHES = '−ー㇐一ㅡ─━╌╍┄┅┈┉╴╶╸╺⁃˗ᅳᐨ➖﹣ｰ‾¯⎯⏤⎼⎽⎺⎻ꟷ╼╾〜∼⸗';

/** A leading bracket, in the folded view. */
export const OPENER = '<';
/** What may stand before a name, in the folded view. */
export const LEAD = '/';

const GAPS = /^[\p{M}\p{C}\p{Z}\p{Pd}\p{Pc}\s\u115f\u1160\u3164\uffa0\u2800\ufffd]$/u;

/** Digits and signs that people write for letters. */
const DIGITS: Readonly<Record<string, string>> = { '0': 'o', '1': 'i', '3': 'e', '5': 's', '7': 't', l: 'i' };

const special = new Map<string, string>([
  ...[...DASHES].map((character): [string, string] => [character, '']),
  ...[...LEADS].map((character): [string, string] => [character, LEAD]),
  ...[...OPENERS, ...ASTRAL_OPENERS].map((character): [string, string] => [character, OPENER]),
]);

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
