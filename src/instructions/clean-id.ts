import { clean } from './clean.js';
import { limitCombiningMarks } from './combining-marks.js';
import { graphemeBorder } from './graphemes.js';
import { neutraliseReservedTags } from './reserved-tags.js';

/** UTF-16 units of an id that are printed. */
const MAX_ID_CHARS = 64;
/** What is printed for an id of which nothing is left. */
const FALLBACK = 'unnamed';

/** What opens or closes mark-up on a line; look-alikes of the brackets included. */
const BRACKETS: Readonly<Record<string, string>> = {
  '<': '[',
  '>': ']',
  '＜': '[',
  '＞': ']',
  '﹤': '[',
  '﹥': ']',
  '‹': '[',
  '›': ']',
  '`': "'",
};

/** List, quote, heading and rule characters that stand alone at the start, and the closing ones of a heading. */
const LEADING_MARKUP = /^(?:[#>*+\-=~|]+(?: |$))+/u;
const TRAILING_HASHES = /(?:^| )#+$/u;

/**
 * A server id for display on one line: cleaned like an instructions text, on one line, and nothing in it that reads as
 * mark-up of a heading, a list or a tag.
 *
 * @param id the name that the host gave the server
 * @returns 1 to 64 UTF-16 units; `unnamed` where nothing is left. Idempotent
 */
export function cleanId(id: string): string {
  // Long ids are cut first, so that the passes below stay cheap.
  const oneLine = id
    .slice(0, 4096)
    .toWellFormed()
    .replaceAll(/[\s\u0085]+/gu, ' ');
  const visible = limitCombiningMarks(clean(oneLine).text).text;
  // Before the brackets, as `>` is a quote mark here.
  const plain = tidyEnds(visible).replaceAll(
    /[<>＜＞﹤﹥‹›`]/gu,
    (character) => BRACKETS[character] ?? character,
  );
  const tidy = tidyEnds(neutraliseReservedTags(plain).text.replaceAll(/\s+/gu, ' '));
  return tidyEnds(clean(tidy.slice(0, graphemeBorder(tidy, MAX_ID_CHARS))).text) || FALLBACK;
}

function tidyEnds(text: string): string {
  let tidy = text.trim();
  for (;;) {
    const shorter = tidy.replace(LEADING_MARKUP, '').replace(TRAILING_HASHES, '').trim();
    if (shorter === tidy) return tidy;
    tidy = shorter;
  }
}
