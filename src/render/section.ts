import { closeOpenFence } from '../instructions/fences.js';
import { normaliseLineEnds } from '../instructions/line-ends.js';
import { closeRawBlocks } from './raw-ends.js';
import { neutraliseReservedTags } from '../instructions/reserved-tags.js';
import { SECTION_PREFIX } from './frame.js';
import { yieldHostLines } from './host-lines.js';

/**
 * Writes one server's section: its heading and its text, which is made unable to read as the host's own lines.
 * Admitted text is already well-formed, with newlines only, and free of reserved tags and open fences; text from elsewhere
 * becomes so here.
 *
 * @param printedId the id as printed
 * @param text the server's text
 */
export function renderSection(printedId: string, text: string): string {
  const lines = normaliseLineEnds(text.toWellFormed());
  const safe = closeRawBlocks(yieldHostLines(closeOpenFence(neutraliseReservedTags(lines).text)));
  return `${SECTION_PREFIX}${printedId}\n${safe}`;
}
