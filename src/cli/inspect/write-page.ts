import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';

import type { Review } from '../../injector.js';
import { UsageError } from '../command.js';
import type { Inspection } from './inspection.js';
import { renderPage } from './page/page.js';

/**
 * Writes the page.
 *
 * @param path a file, replaced when it is there
 * @param inspection what was found
 * @param reviews the texts, by server id
 * @throws UsageError when the file cannot be written
 */
export async function writePage(
  path: string,
  inspection: Inspection,
  reviews: ReadonlyMap<string, Review>,
): Promise<void> {
  const page = renderPage(inspection, reviews, (text) => createHash('sha256').update(text).digest('base64'));
  try {
    await writeFile(path, page);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'failed';
    throw new UsageError(`--html: expected a file that can be written, got ${code}`, { cause: error });
  }
}
