import type { Review } from '../injector.js';
import { renderSection } from '../render/section.js';

const ANY_ID = 'id';

/**
 * A text as it would stand under its server's heading: rendering lowers headings and quotes what imitates the host.
 *
 * @param review the server's text
 * @returns `''` when nothing would be shown
 */
export function asTold({ admittedText }: Review): string {
  if (admittedText === '') return '';
  return renderSection(ANY_ID, admittedText).slice(renderSection(ANY_ID, '').length);
}
