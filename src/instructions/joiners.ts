import { kindOf, nextOfAnyKind } from './characters.js';
import type { PassResult } from './flags.js';

const ZWSP = '\u200b';

/** Scripts whose letters change their form next to a joiner. */
const JOINING =
  /(?=[\p{L}\p{M}\p{N}])[\p{scx=Arab}\p{scx=Syrc}\p{scx=Mand}\p{scx=Nkoo}\p{scx=Phag}\p{scx=Mong}\p{scx=Adlm}\p{scx=Rohg}\p{scx=Deva}\p{scx=Beng}\p{scx=Guru}\p{scx=Gujr}\p{scx=Orya}\p{scx=Taml}\p{scx=Telu}\p{scx=Knda}\p{scx=Mlym}\p{scx=Sinh}\p{scx=Khmr}\p{scx=Mymr}\p{scx=Tibt}\p{scx=Newa}\p{scx=Gran}\p{scx=Tirh}\p{scx=Java}\p{scx=Bali}]/u;
/** Scripts without spaces between words, where a zero-width space says where a line may break. */
const SPACELESS =
  /(?=[\p{L}\p{M}])[\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}\p{scx=Lana}\p{scx=Tibt}]/u;
const MONGOLIAN = /(?=\p{L})\p{scx=Mong}/u;
const PICTOGRAPH = /\p{Extended_Pictographic}/u;
const EMOJI = /(?![0-9#*])\p{Emoji}/u;
const KEYCAP_BASE = /[0-9#*]/u;
const BRAILLE = /[\u2801-\u28ff]/u;

/** What is kept of a run of joiners and selectors is a part of this. */
const RUN_SHAPE = /^(\u2800+$)?([\u180b-\u180f\ufe0e\ufe0f])?/u;

/**
 * Keeps one joiner and one variation selector where they change what a reader sees, and removes all others, which can
 * carry hidden text or split a word.
 *
 * @param text a text without other invisible characters
 * @returns the text, and how many characters were removed; idempotent
 */
export function tidyJoiners(text: string): PassResult {
  const parts: string[] = [];
  let done = 0;
  let selectors = 0;
  let joiners = 0;
  for (let start = nextOfAnyKind(text, 0); start < text.length;) {
    const run = runFrom(text, start);
    const end = start + run.units;
    const raw = text.slice(start, end);
    const kept = run.units === 0 ? '' : keptOf(raw, characterBefore(text, start), characterAt(text, end));
    if (kept !== raw) {
      parts.push(text.slice(done, start), kept);
      done = end;
      const keptSelectors = runFrom(kept, 0).selectors;
      selectors += run.selectors - keptSelectors;
      joiners += run.characters - run.selectors - (kept.length - keptSelectors);
    }
    start = nextOfAnyKind(text, Math.max(end, start + 1));
  }
  if (done === 0) return { text, counts: {} };
  parts.push(text.slice(done));
  return {
    text: parts.join(''),
    counts: { 'variation-selectors': selectors, 'invisible-characters': joiners },
  };
}

/** Depends on the two neighbours only, which are never part of a run: so the result stays what it is. */
function keptOf(run: string, before: string, after: string): string {
  const [, blanks, selector] = RUN_SHAPE.exec(run) ?? [];
  if (blanks !== undefined) return BRAILLE.test(before) && BRAILLE.test(after) ? run : '';
  const kept = selector !== undefined && wantsSelector(selector, run, before, after) ? selector : '';
  return kept + keptJoiner(run.slice(kept.length), before, after);
}

function wantsSelector(selector: string, run: string, before: string, after: string): boolean {
  if (selector < '\ufe00') return MONGOLIAN.test(before);
  const keycap = after === '\u20e3' && KEYCAP_BASE.test(before) && run === selector;
  return keycap || EMOJI.test(before);
}

function keptJoiner(rest: string, before: string, after: string): string {
  const joiner = /[\u200c\u200d]/u.exec(rest)?.[0];
  if (joiner === undefined) {
    return rest.includes(ZWSP) && SPACELESS.test(before) && SPACELESS.test(after) ? ZWSP : '';
  }
  if (JOINING.test(before) || JOINING.test(after)) return joiner;
  return joiner === '\u200d' && EMOJI.test(before) && PICTOGRAPH.test(after) ? joiner : '';
}

/** The run of joiners and selectors that starts here: what it holds, and its length. */
function runFrom(text: string, start: number): { units: number; characters: number; selectors: number } {
  let at = start;
  let characters = 0;
  let selectors = 0;
  while (at < text.length) {
    const point = text.codePointAt(at) ?? 0;
    if (kindOf(point) !== 'joining') break;
    characters += 1;
    if (isSelector(point)) selectors += 1;
    at += point > 0xffff ? 2 : 1;
  }
  return { units: at - start, characters, selectors };
}

/** All of the kind but zero-width space, joiners and the blank of Braille. */
function isSelector(point: number): boolean {
  return point !== 0x2800 && !(point >= 0x200b && point <= 0x200d);
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
