import { TRUNCATION_MARKER } from '../instructions/cap.js';
import { renderSection } from './section.js';

/** What may follow the marker: what the cut left open is closed there. */
const CLOSED = /^(?:\n {0,3}[`~]{3,8})?(?:\n(?:-->|\?>|\]\]>|>|<\/[a-z]{3,8}>))*$/i;

/**
 * Whether a section that was told is a text, whole or cut at any length.
 *
 * @param section the section as it was rendered
 * @param printedId the id as printed
 * @param whole the whole admitted text
 */
export function isCutOf(section: string, printedId: string, whole: string): boolean {
  const rendered = renderSection(printedId, whole);
  if (section === rendered) return true;
  const marker = section.lastIndexOf(TRUNCATION_MARKER);
  if (marker < 0 || !CLOSED.test(section.slice(marker + TRUNCATION_MARKER.length))) return false;
  return rendered.startsWith(section.slice(0, marker));
}
