import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

import type { Era, InstructionsRecord, InstructionsSource } from './server-state.js';

/** Where and when a reply came from. */
export interface ReplyOrigin {
  readonly source: InstructionsSource;
  readonly era: Era | undefined;
  readonly protocolVersion: string | undefined;
  /** In ms since 1970. */
  readonly receivedAt: number;
}

/**
 * Files what one reply said.
 *
 * @param value the `instructions` of the reply, whatever it is
 * @param origin where it came from
 */
export function makeRecord(value: unknown, origin: ReplyOrigin): InstructionsRecord {
  const isText = typeof value === 'string';
  return Object.freeze({
    value,
    source: origin.source,
    era: origin.era,
    protocolVersion: origin.protocolVersion,
    chars: isText ? value.length : 0,
    sha256: isText ? hashText(value) : undefined,
    receivedAt: origin.receivedAt,
  });
}

/** Lone surrogates have no UTF-8 form, so the hash is taken of the well-formed text, as it is when admitted. */
function hashText(text: string): string {
  return bytesToHex(sha256(utf8ToBytes(text.toWellFormed())));
}

/** Whether two records hold the same: both the same text, or both none. */
export function sameText(left: InstructionsRecord, right: InstructionsRecord): boolean {
  if (left.sha256 !== undefined || right.sha256 !== undefined) return left.sha256 === right.sha256;
  return kindOfValue(left.value) === kindOfValue(right.value);
}

function kindOfValue(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
}
