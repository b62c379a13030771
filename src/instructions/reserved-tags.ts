import { decodeAt } from './encoded.js';
import { foldCharacter, LEAD, OPENER, OPENERS } from './fold.js';

/** Every wrapper name that the renderer writes, or that a host or model may take for one. */
export const RESERVED_NAMES: readonly string[] = [
  'system-reminder',
  'mcp-server-instructions',
  'mcp-instructions',
];

/** The names in the folded view, where spaces and dashes are nothing; `rn` prints like `m`. */
const FOLDED_NAMES: readonly string[] = RESERVED_NAMES.flatMap((name) =>
  withLookAlikes(name.replaceAll('-', '')),
);

const CANDIDATE = new RegExp(`[${OPENERS}&%\\\\]`, 'gu');
const PREFIX = /[\w.-]{1,32}:/uy;

/** A text without reserved tags, and how many there were. */
export interface NeutralisedText {
  readonly text: string;
  /** Brackets that were replaced. */
  readonly count: number;
  /** How many of them were written in an encoded form. */
  readonly encoded: number;
}

/**
 * Makes sure that no server can close the wrapper or open another: writes `[` for the bracket of everything that reads like
 * one of the wrapper's tags, whatever case, spaces, invisible characters, look-alikes or encoding it uses. A name counts
 * whatever follows it, so that a later cut cannot make a tag. Nothing is deleted, as deleting could form a new one.
 *
 * @param text any text
 * @returns a text of the same length; unchanged where there is no such tag. Idempotent, linear time
 */
export function neutraliseReservedTags(text: string): NeutralisedText {
  const parts: string[] = [];
  let done = 0;
  let count = 0;
  let encoded = 0;
  for (const { index, 0: character } of text.matchAll(CANDIDATE)) {
    const decoded = decodeAt(text, index);
    if (foldCharacter(decoded?.character ?? character) !== OPENER) continue;
    if (!startsReservedName(text, index + (decoded?.length ?? character.length))) continue;
    parts.push(text.slice(done, index), '['.repeat(character.length));
    done = index + character.length;
    count += 1;
    if (decoded !== undefined) encoded += 1;
  }
  if (count === 0) return { text, count, encoded };
  parts.push(text.slice(done));
  return { text: parts.join(''), count, encoded };
}

/** Whether a reserved name follows a bracket. What is skipped holds no bracket, so all calls together stay linear. */
function startsReservedName(text: string, from: number): boolean {
  let at = from;
  while (at < text.length) {
    const [folded, next] = readFolded(text, at);
    if (folded !== '' && folded !== LEAD) break;
    at = next;
  }
  if (FOLDED_NAMES.some((name) => spells(text, at, name))) return true;
  PREFIX.lastIndex = at;
  if (!PREFIX.test(text)) return false;
  const after = PREFIX.lastIndex;
  return FOLDED_NAMES.some((name) => spells(text, after, name));
}

function spells(text: string, from: number, name: string): boolean {
  let at = from;
  let matched = 0;
  while (at < text.length) {
    const [folded, next] = readFolded(text, at);
    for (const letter of folded) {
      if (letter !== name[matched]) return false;
      matched += 1;
      if (matched === name.length) return true;
    }
    at = next;
  }
  return false;
}

/** One character of the folded view, encoded forms decoded, and where the next one starts. */
function readFolded(text: string, at: number): [folded: string, next: number] {
  const decoded = decodeAt(text, at);
  if (decoded !== undefined) return [foldCharacter(decoded.character), at + decoded.length];
  const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
  return [foldCharacter(character), at + character.length];
}

function withLookAlikes(name: string): string[] {
  const at = name.indexOf('m');
  if (at === -1) return [name];
  const head = name.slice(0, at);
  return withLookAlikes(name.slice(at + 1)).flatMap((tail) => [`${head}m${tail}`, `${head}rn${tail}`]);
}
