import type { PassResult } from './flags.js';

const ZWSP = '\u200b';
const BRAILLE_BLANK = '\u2800';

const RUN = /[\u200b-\u200d\u2800\u180b-\u180f\ufe00-\ufe0f\u{e0100}-\u{e01ef}]+/gu;
const SELECTOR = /[\u180b-\u180d\u180f\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/gu;

/** Scripts whose letters change their form next to a joiner. */
const JOINING =
  /[\p{scx=Arab}\p{scx=Syrc}\p{scx=Mand}\p{scx=Nkoo}\p{scx=Phag}\p{scx=Mong}\p{scx=Adlm}\p{scx=Rohg}\p{scx=Deva}\p{scx=Beng}\p{scx=Guru}\p{scx=Gujr}\p{scx=Orya}\p{scx=Taml}\p{scx=Telu}\p{scx=Knda}\p{scx=Mlym}\p{scx=Sinh}\p{scx=Khmr}\p{scx=Mymr}\p{scx=Tibt}\p{scx=Newa}\p{scx=Gran}\p{scx=Tirh}\p{scx=Java}\p{scx=Bali}]/u;
/** Scripts without spaces between words, where a zero-width space says where a line may break. */
const SPACELESS = /[\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}\p{scx=Lana}\p{scx=Tibt}]/u;
const LETTER_OR_MARK = /[\p{L}\p{M}\p{N}]/u;
const PICTOGRAPH = /\p{Extended_Pictographic}/u;
const EMOJI = /(?![0-9#*])\p{Emoji}/u;
const BRAILLE = /[\u2801-\u28ff]/u;

/**
 * Keeps one joiner and one variation selector where they change what a reader sees, and removes all others, which can
 * carry hidden text or split a word.
 *
 * @param text a text without other invisible characters
 * @returns the text, and how many characters were removed; idempotent
 */
export function tidyJoiners(text: string): PassResult {
  let selectors = 0;
  let joiners = 0;
  const tidied = text.replaceAll(RUN, (run: string, offset: number) => {
    const kept = keptOf(run, characterBefore(text, offset), characterAt(text, offset + run.length));
    if (kept === run) return run;
    const lost = selectorsIn(run) - selectorsIn(kept);
    selectors += lost;
    joiners += [...run].length - [...kept].length - lost;
    return kept;
  });
  return { text: tidied, counts: { 'variation-selectors': selectors, 'invisible-characters': joiners } };
}

/** Depends on the two neighbours only, which are never part of a run: so the result stays what it is. */
function keptOf(run: string, before: string, after: string): string {
  if (run.startsWith(BRAILLE_BLANK)) {
    const blanks = /^\u2800+/u.exec(run)?.[0] ?? '';
    return blanks === run && BRAILLE.test(before) && BRAILLE.test(after) ? run : '';
  }
  const selector = keptSelector(run, before, after);
  return selector + keptJoiner(run.slice(selector.length), before, after);
}

function keptSelector(run: string, before: string, after: string): string {
  const first = characterAt(run, 0);
  if (first === '\ufe0f' || first === '\ufe0e') {
    const keycap = after === '\u20e3' && /[0-9#*]/u.test(before) && run === first;
    return keycap || EMOJI.test(before) ? first : '';
  }
  if (first >= '\u180b' && first <= '\u180f') return /\p{scx=Mong}/u.test(before) ? first : '';
  return '';
}

function keptJoiner(rest: string, before: string, after: string): string {
  const joiner = /[\u200b-\u200d]/u.exec(rest)?.[0];
  if (joiner === undefined) return '';
  if (joiner === ZWSP) return SPACELESS.test(before) && SPACELESS.test(after) ? joiner : '';
  if (isJoining(before) || isJoining(after)) return joiner;
  return joiner === '\u200d' && EMOJI.test(before) && PICTOGRAPH.test(after) ? joiner : '';
}

function isJoining(character: string): boolean {
  return JOINING.test(character) && LETTER_OR_MARK.test(character);
}

function selectorsIn(run: string): number {
  return run.match(SELECTOR)?.length ?? 0;
}

function characterAt(text: string, index: number): string {
  const point = text.codePointAt(index);
  return point === undefined ? '' : String.fromCodePoint(point);
}

function characterBefore(text: string, index: number): string {
  if (index === 0) return '';
  const unit = text.charCodeAt(index - 1);
  const low = unit >= 0xdc00 && unit <= 0xdfff;
  return text.slice(index - (low && index > 1 ? 2 : 1), index);
}
