import { notExpected, type InstructionsError } from '../errors.js';
import { isRecord, kindOf } from '../values.js';
import { sha256Hex } from './sha256.js';

/** UTF-16 units of a server's text that a model is shown, where nothing else is set. */
const DEFAULT_MAX_CHARS = 2048;

/** Settings of `admit`; all optional. */
export interface AdmitSettings {
  /** The most of a text that is shown, in UTF-16 units: a positive whole number up to 2^53 - 1. @default 2048 */
  readonly maxChars?: number;
  /** SHA-256 of a text's UTF-8 bytes as hexadecimal digits. @default a portable implementation */
  readonly sha256?: (text: string) => string;
  /** Ids of the other servers, to flag where a text speaks of them. @default none */
  readonly otherServers?: readonly string[];
}

/**
 * @param settings what the caller set
 * @returns all settings
 * @throws InstructionsError `INVALID_OPTION` when one has a wrong type or range
 */
export function completeAdmitSettings(settings: AdmitSettings | null): Required<AdmitSettings> {
  const given: unknown = settings ?? {};
  if (!isRecord(given)) throw wrong('settings', 'an object', given);
  const { maxChars = DEFAULT_MAX_CHARS, sha256 = sha256Hex, otherServers = [] } = settings ?? {};
  if (!Number.isSafeInteger(maxChars) || maxChars < 1)
    throw wrong('maxChars', 'a positive whole number', maxChars);
  if (typeof sha256 !== 'function') throw wrong('sha256', 'a function', sha256);
  if (!Array.isArray(otherServers) || otherServers.some((id) => typeof id !== 'string')) {
    throw wrong('otherServers', 'an array of strings', otherServers);
  }
  return { maxChars, sha256, otherServers };
}

function wrong(field: string, expected: string, value: unknown): InstructionsError {
  const got = typeof value === 'number' ? String(value) : kindOf(value);
  return notExpected('INVALID_OPTION', field, expected, got);
}
