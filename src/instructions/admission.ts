import { FLAGS, type Flag, type FlagCounts } from './flags.js';

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
  /** Length as received; 0 for what is no string. */
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

/** What an {@link Admission} is made from; the rest follows. */
export interface Outcome {
  readonly state: AdmissionState;
  readonly chars: number;
  readonly text?: string;
  readonly keptChars?: number;
  readonly lostChars?: number;
  readonly sha256?: string;
  readonly counts?: FlagCounts;
}

/** @returns the whole record; what is not given is empty */
export function admissionOf(outcome: Outcome): Admission {
  const { state, chars, text = '', keptChars = 0, lostChars = 0, counts = {} } = outcome;
  return {
    state,
    text,
    chars,
    keptChars,
    lostChars,
    truncated: lostChars > 0,
    sha256: outcome.sha256,
    flags: FLAGS.filter((flag) => counts[flag] !== undefined),
    counts,
  };
}
