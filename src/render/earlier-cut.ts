import { TRUNCATION_MARKER } from '../instructions/cap.js';
import { renderSection } from './section.js';

/** What may follow the marker: a fence that the cut left open is closed there. */
const CLOSED_FENCE = /^(?:\n[`~]{3,8})?$/;

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
  if (marker < 0 || !CLOSED_FENCE.test(section.slice(marker + TRUNCATION_MARKER.length))) return false;
  return rendered.startsWith(section.slice(0, marker));
}
