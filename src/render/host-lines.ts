import { CodeLines } from '../instructions/code-lines.js';
import { SENTENCES } from './frame.js';

/** A level-one or level-two heading: the levels that are the host's own. */
const HOST_HEADING = /^( {0,3})#{1,2}(?=\s|$)/;

const INDENT = /^\s*/u;

const hostSentences: ReadonlySet<string> = new Set(Object.values(SENTENCES));

/**
 * Makes sure that no line of a server's text reads as one of the host's: `#` and `##` headings become `###`, and
 * a line that equals one of the host's sentences is quoted. Lines that certainly are code stay. Idempotent.
 *
 * @param text admitted text, with `\n` line ends
 */
export function yieldHostLines(text: string): string {
  const code = new CodeLines();
  const lines = text.split('\n');
  for (const [index, line] of lines.entries()) {
    if (code.next(line)) continue;
    // After the indentation: it decides to what a line belongs.
    if (hostSentences.has(line.trim())) lines[index] = line.replace(INDENT, '$&> ');
    else lines[index] = line.replace(HOST_HEADING, '$1###');
  }
  return lines.join('\n');
}
