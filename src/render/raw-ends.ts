import { FenceScanner } from '../instructions/fences.js';
import { RawBlockScanner } from '../instructions/raw-blocks.js';

/**
 * Ends comments, preformatted text and the like that a text leaves open at its end: for a reader of Markdown they would go on through
 * the next server's section. Whether one is open can depend on the reader; an end too many is plain text.
 *
 * @param text a text with `\n` line ends and no open fence
 * @returns the text, with a line for each that may be open; idempotent
 */
export function closeRawBlocks(text: string): string {
  if (!text.includes('<')) return text;
  const fences = new FenceScanner();
  const blocks = new RawBlockScanner();
  // A fence at the margin is one for every reader, unless something was open before it.
  let isCode = false;
  for (const line of text.split('\n')) {
    const wasOpen = fences.open !== undefined;
    const isFenced = fences.next(line);
    if (isFenced && !wasOpen) isCode = !line.startsWith(' ') && !blocks.isOpen;
    if (!isFenced || !isCode) blocks.next(line);
  }
  return [text, ...blocks.closings].join('\n');
}
