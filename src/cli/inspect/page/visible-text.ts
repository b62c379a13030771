import { UNSEEN_CLASS } from '../../../instructions/unseen.js';
import { inert } from '../../inert.js';
import { markup, type Html } from './markup.js';

/** Everything that would not be seen, in runs of the same character. Line ends and tabs are layout. */
const UNSEEN = new RegExp(String.raw`((?![\n\t])${UNSEEN_CLASS})\1*`, 'gu');
/** From this many on a run is counted, not written out. */
const COUNTED_FROM = 4;

/**
 * A server's text for a page: every character that would not be seen, or could turn others around, stands out as an escape.
 *
 * @param text anything
 */
export function visibleText(text: string): Html {
  const lines = text.replaceAll('\r\n', '\n');
  const parts: Html[] = [];
  let done = 0;
  for (const match of lines.matchAll(UNSEEN)) {
    const [run, character = ''] = match;
    parts.push(markup`${lines.slice(done, match.index)}`);
    const times = run.length / character.length;
    const written = times < COUNTED_FROM ? inert(run) : `${inert(character)} ×${times}`;
    parts.push(markup`<b class="odd">${written}</b>`);
    done = match.index + run.length;
  }
  return markup`${parts}${lines.slice(done)}`;
}
