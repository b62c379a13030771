import { UNSEEN_CLASS } from '../instructions/unseen.js';

const UNSEEN = new RegExp(UNSEEN_CLASS, 'gu');

/**
 * A text for one line of a terminal: whatever could steer it or would not be seen is written as an escape.
 *
 * @param text anything, such as a name that a server gave itself
 */
export function inert(text: string): string {
  return text.replaceAll(UNSEEN, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

/**
 * JSON for programs that is harmless in a terminal too: the same value, with every unseen character escaped.
 *
 * @param value plain data
 */
export function inertJson(value: unknown): string {
  const json = JSON.stringify(value, null, 2);
  // Line ends here are those of the layout; within strings they are escaped already.
  return json.replaceAll(UNSEEN, (character) => (character === '\n' ? character : jsonEscape(character)));
}

function jsonEscape(character: string): string {
  let escaped = '';
  for (let index = 0; index < character.length; index += 1) {
    escaped += `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`;
  }
  return escaped;
}
