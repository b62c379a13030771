import { InstructionsError } from '../errors.js';
import { limitBlankLines } from './blank-lines.js';
import { cap } from './cap.js';
import { clean } from './clean.js';
import { limitCombiningMarks } from './combining-marks.js';
import { countCrossReferences } from './cross-references.js';
import { countFakeHeadings } from './fake-headings.js';
import { closeOpenFence, openFenceOf, shortenFences } from './fences.js';
import { addCounts, FLAGS, type Flag, type FlagCounts } from './flags.js';
import { graphemeBorder } from './graphemes.js';
import { normaliseLineEnds } from './line-ends.js';
import { neutraliseReservedTags } from './reserved-tags.js';
import { sha256Hex } from './sha256.js';
import { findSigns } from './signs.js';

/** UTF-16 units of a server's text that a model is shown, where nothing else is set. */
export const DEFAULT_MAX_CHARS = 2048;
/** The longest text that is looked at at all: 1 MiB of UTF-16 units. */
export const MAX_RECEIVED_CHARS = 1_048_576;
/** What the passes look at: this, or four times the cap when that is more. */
const MIN_EXAMINED_CHARS = 65_536;

/** Settings of {@link admit}; all optional. */
export interface AdmitSettings {
  /** The most of a text that is shown, in UTF-16 units: a positive whole number. @default 2048 */
  readonly maxChars?: number;
  /** SHA-256 of a text's UTF-8 bytes as hexadecimal digits. @default a portable implementation */
  readonly sha256?: (text: string) => string;
  /** Ids of the other servers, to flag where a text speaks of them. @default none */
  readonly otherServers?: readonly string[];
}

/**
 * `admitted`: there is text to show. `absent`: nothing was sent. `blank`: nothing is left that a reader would see.
 * `invalid`: not a string. `oversized`: over 1,048,576 units, not looked at.
 */
export type AdmissionState = 'admitted' | 'absent' | 'blank' | 'invalid' | 'oversized';

/** What became of one server's string. Plain JSON; all lengths in UTF-16 units. */
export interface Admission {
  readonly state: AdmissionState;
  /** What may be shown, its truncation marker and closing fence included; `''` when not admitted. */
  readonly text: string;
  /** Length as received. */
  readonly chars: number;
  /** Units of the cleaned text that were kept; never over `maxChars`. */
  readonly keptChars: number;
  /** Units that the limits dropped; what cleaning removed does not count. */
  readonly lostChars: number;
  /** Whether a limit dropped anything. */
  readonly truncated: boolean;
  /** Hash of the whole text as received (lone surrogates as U+FFFD); `undefined` when absent, invalid or oversized. */
  readonly sha256: string | undefined;
  /** What was noticed, in the order of `FLAGS`. Flags never withhold a text. */
  readonly flags: readonly Flag[];
  /** How often each of the flags was met. */
  readonly counts: Readonly<FlagCounts>;
}

/**
 * From one server's untrusted string to text that may be shown to a model. Pure, in linear time, and idempotent: admitting an
 * admitted text again, under the same settings, gives the same text.
 *
 * @param text whatever the server sent as its instructions
 * @param settings how much is shown
 * @returns what may be shown, and what was changed, lost and noticed
 * @throws InstructionsError `INVALID_OPTION` when a setting has a wrong type or range
 */
export function admit(text: unknown, settings: AdmitSettings = {}): Admission {
  const { maxChars = DEFAULT_MAX_CHARS, sha256 = sha256Hex, otherServers = [] } = settings;
  checkSettings(maxChars, sha256, otherServers);
  if (text === undefined || text === '') return nothing('absent', 0);
  if (typeof text !== 'string') return nothing('invalid', 0);
  if (text.length > MAX_RECEIVED_CHARS) return nothing('oversized', text.length);

  const counts: FlagCounts = {};
  const wellFormed = text.toWellFormed();
  if (wellFormed !== text) counts['lone-surrogate'] = replacedIn(text, wellFormed);
  // Of the whole text, before anything is cut or cleaned: an approval covers what a larger cap would show.
  const hash = sha256(wellFormed);

  const examined = graphemeBorder(wellFormed, Math.max(MIN_EXAMINED_CHARS, 4 * maxChars));
  const unexamined = wellFormed.length - examined;
  const cleaned = cleanText(wellFormed.slice(0, examined), counts);
  if (cleaned === '') {
    return { ...nothing('blank', text.length), ...lost(unexamined), sha256: hash, ...flagged(counts) };
  }
  const others = new Set(otherServers.map((id) => id.trim().toLowerCase()));
  addCounts(counts, findSigns(cleaned));
  addCounts(counts, {
    'fake-heading': countFakeHeadings(cleaned, others),
    'cross-server-reference': countCrossReferences(cleaned, others),
    'open-fence': unexamined === 0 && openFenceOf(cleaned) !== undefined ? 1 : 0,
  });

  const capped = cap(cleaned, maxChars, unexamined);
  return {
    state: 'admitted',
    // Surrogates are whole by now; this holds whatever a pass may do.
    text: closeOpenFence(capped.text).toWellFormed(),
    chars: text.length,
    keptChars: capped.keptChars,
    ...lost(capped.lostChars),
    sha256: hash,
    ...flagged(counts),
  };
}

/** Each step stands where it does because another order was seen to break. */
function cleanText(text: string, counts: FlagCounts): string {
  const visible = clean(normaliseLineEnds(text));
  const marks = limitCombiningMarks(visible.text);
  const lines = limitBlankLines(marks.text);
  const tags = neutraliseReservedTags(lines.text.trim());
  const fences = shortenFences(tags.text);
  addCounts(counts, visible.counts);
  addCounts(counts, {
    'combining-marks': marks.count,
    'blank-lines': lines.count,
    'reserved-tag': tags.count,
    'encoded-tag': tags.encoded,
    'long-fence': fences.count,
  });
  return fences.text;
}

function nothing(state: AdmissionState, chars: number): Admission {
  const lostChars = state === 'oversized' ? chars : 0;
  return {
    state,
    text: '',
    chars,
    keptChars: 0,
    ...lost(lostChars),
    sha256: undefined,
    flags: [],
    counts: {},
  };
}

function lost(lostChars: number): Pick<Admission, 'lostChars' | 'truncated'> {
  return { lostChars, truncated: lostChars > 0 };
}

function flagged(counts: FlagCounts): Pick<Admission, 'flags' | 'counts'> {
  return { flags: FLAGS.filter((flag) => counts[flag] !== undefined), counts };
}

/** Replacing keeps positions. */
function replacedIn(text: string, wellFormed: string): number {
  let count = 0;
  for (let index = 0; index < text.length; index += 1) {
    if (text.charCodeAt(index) !== wellFormed.charCodeAt(index)) count += 1;
  }
  return count;
}

function checkSettings(maxChars: unknown, sha256: unknown, otherServers: unknown): void {
  if (typeof maxChars !== 'number' || !Number.isSafeInteger(maxChars) || maxChars < 1) {
    throw wrong('maxChars', 'a positive whole number', maxChars);
  }
  if (typeof sha256 !== 'function') throw wrong('sha256', 'a function', sha256);
  if (!Array.isArray(otherServers) || otherServers.some((id) => typeof id !== 'string')) {
    throw wrong('otherServers', 'an array of strings', otherServers);
  }
}

function wrong(field: string, expected: string, value: unknown): InstructionsError {
  const got = typeof value === 'number' ? String(value) : value === null ? 'null' : typeof value;
  return new InstructionsError('INVALID_OPTION', `${field}: expected ${expected}, got ${got}`);
}
