import { graphemeBorder } from '../../../instructions/graphemes.js';
import { UNSEEN_CLASS } from '../../../instructions/unseen.js';
import { inert } from '../../inert.js';
import { markup, type Html } from './markup.js';

/** Everything that would not be seen, in runs of the same character. Line ends and tabs are layout. */
const UNSEEN = new RegExp(String.raw`((?![\n\t])${UNSEEN_CLASS})\1*`, 'gu');
/** From this many on a run is counted, not written out. */
const COUNTED_FROM = 4;

/**
 * A browser lays out a paragraph, its bidirectional runs and a stack of marks in more than linear time, so that a long text is one of
 * many blocks, of which only those in sight are laid out. In UTF-16 units.
 */
const BLOCK_CHARS = 2048;

/**
 * A server's text for a page: every character that would not be seen, or could turn others around, stands out as an escape.
 *
 * @param text anything
 */
export function visibleText(text: string): Html {
  const lines = text.replaceAll('\r\n', '\n');
  if (lines.length <= BLOCK_CHARS) return escaped(lines);
  const blocks: Html[] = [];
  for (let from = 0; from < lines.length;) {
    const end = blockEnd(lines, from);
    blocks.push(markup`<span class="part">${escaped(lines.slice(from, end))}</span>`);
    from = end;
  }
  return markup`${blocks}`;
}

/** After a line end where there is one, since a block starts a row of its own. */
function blockEnd(lines: string, from: number): number {
  const limit = from + BLOCK_CHARS;
  if (limit >= lines.length) return lines.length;
  const lineEnd = lines.lastIndexOf('\n', limit - 1) + 1;
  if (lineEnd > from) return lineEnd;
  const border = graphemeBorder(lines, limit);
  return border > from ? border : limit;
}

function escaped(lines: string): Html {
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
