import { admissionOf, type Admission } from './admission.js';
import { completeAdmitSettings, type AdmitSettings } from './admit-settings.js';
import { limitBlankLines } from './blank-lines.js';
import { cap } from './cap.js';
import { clean } from './clean.js';
import { limitCombiningMarks } from './combining-marks.js';
import { countCrossReferences } from './cross-references.js';
import { countFakeHeadings } from './fake-headings.js';
import { closeOpenFence, openFenceOf, shortenFences } from './fences.js';
import { addCounts, type FlagCounts } from './flags.js';
import { graphemeBorder } from './graphemes.js';
import { normaliseLineEnds } from './line-ends.js';
import { neutraliseReservedTags } from './reserved-tags.js';
import { findSigns } from './signs.js';

export type { Admission, AdmissionState } from './admission.js';
export type { AdmitSettings } from './admit-settings.js';

/** The longest text that is looked at at all: 1 MiB of UTF-16 units. */
const MAX_RECEIVED_CHARS = 1_048_576;
/** What the passes look at: this, or four times the cap when that is more. */
const MIN_EXAMINED_CHARS = 65_536;

/**
 * From one server's untrusted string to text that may be shown to a model: the one path for a server's first text and every later
 * one. Pure, in linear time, and idempotent: admitting an admitted text again, under the same settings, gives the same text.
 *
 * @param text whatever the server sent as its instructions
 * @param settings how much is shown
 * @returns what may be shown, and what was changed, lost and noticed
 * @throws InstructionsError `INVALID_OPTION` when a setting has a wrong type or range
 */
export function admit(text: unknown, settings: AdmitSettings = {}): Admission {
  const { maxChars, sha256: hashOf, otherServers } = completeAdmitSettings(settings);
  if (text === undefined || text === '') return admissionOf({ state: 'absent', chars: 0 });
  if (typeof text !== 'string') return admissionOf({ state: 'invalid', chars: 0 });
  const chars = text.length;
  if (chars > MAX_RECEIVED_CHARS) return admissionOf({ state: 'oversized', chars, lostChars: chars });

  const counts: FlagCounts = {};
  const wellFormed = text.toWellFormed();
  if (wellFormed !== text) counts['lone-surrogate'] = replacedIn(text, wellFormed);
  // Of the whole text, before anything is cut or cleaned: an approval covers what a larger cap would show.
  const sha256 = hashOf(wellFormed);

  const examined = examinedChars(wellFormed, maxChars);
  const unexamined = chars - examined;
  const cleaned = cleanText(wellFormed.slice(0, examined), counts);
  if (cleaned === '') return admissionOf({ state: 'blank', chars, lostChars: unexamined, sha256, counts });
  // In all that was examined: a reviewer is told about the part that the cap hides, too.
  notice(cleaned, otherServers, counts);
  // A fence that only the coarse limit left open is not its author's.
  if (unexamined === 0 && openFenceOf(cleaned) !== undefined) counts['open-fence'] = 1;

  const { text: capped, keptChars, lostChars } = cap(cleaned, maxChars, unexamined);
  // Surrogates are whole by now; this holds whatever a pass may do.
  const shown = closeOpenFence(capped).toWellFormed();
  return admissionOf({ state: 'admitted', text: shown, chars, keptChars, lostChars, sha256, counts });
}

/** @returns how much of a text the passes look at, in units from its start */
export function examinedChars(wellFormed: string, maxChars: number): number {
  return graphemeBorder(wellFormed, Math.max(MIN_EXAMINED_CHARS, 4 * maxChars));
}

/**
 * Each pass stands where it does because another order was seen to break.
 *
 * @param text the part of a well-formed text that is looked at
 * @param counts are added to
 */
export function cleanText(text: string, counts: FlagCounts): string {
  const visible = withoutUnseen(normaliseLineEnds(text), counts);
  const tags = neutraliseReservedTags(visible);
  const fences = shortenFences(tags.text);
  addCounts(counts, {
    'reserved-tag': tags.count,
    'encoded-tag': tags.encoded,
    'long-fence': fences.count,
  });
  return fences.text;
}

/**
 * The passes that only remove.
 *
 * @param lines a text with `\n` line ends
 * @param counts are added to
 */
export function withoutUnseen(lines: string, counts: FlagCounts): string {
  const visible = clean(lines);
  const marks = limitCombiningMarks(visible.text);
  const gaps = limitBlankLines(marks.text);
  addCounts(counts, visible.counts);
  addCounts(counts, { 'combining-marks': marks.count, 'blank-lines': gaps.count });
  return gaps.text.trim();
}

/** Counts what is flagged and left as it is. */
function notice(cleaned: string, otherServers: readonly string[], counts: FlagCounts): void {
  const others = new Set(otherServers.map((id) => id.trim().toLowerCase()));
  addCounts(counts, findSigns(cleaned));
  addCounts(counts, {
    'fake-heading': countFakeHeadings(cleaned, others),
    'cross-server-reference': countCrossReferences(cleaned, others),
  });
}

/** How many units differ; replacing keeps positions. */
function replacedIn(text: string, wellFormed: string): number {
  let count = 0;
  for (let index = 0; index < text.length; index += 1) {
    if (text.charCodeAt(index) !== wellFormed.charCodeAt(index)) count += 1;
  }
  return count;
}
