import { readFile } from 'node:fs/promises';

import { InstructionsError } from '../errors.js';

/**
 * Reads a file of text, with or without a byte order mark.
 *
 * @param path of the file
 * @param about what else the error is to say
 * @throws InstructionsError `CONFIG_FILE` when it cannot be read or is not UTF-8
 */
export async function readConfigText(path: string, about: string = ''): Promise<string> {
  const bytes = await readFile(path).catch((cause: unknown) => {
    const code: unknown =
      typeof cause === 'object' && cause !== null ? Reflect.get(cause, 'code') : undefined;
    throw new InstructionsError('CONFIG_FILE', `${path}: cannot be read: ${String(code)}${about}`, { cause });
  });
  try {
    if (isUtf16(bytes)) throw new TypeError('UTF-16');
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    const what = isUtf16(bytes) ? 'UTF-16' : 'bytes that are not';
    throw new InstructionsError('CONFIG_FILE', `${path}: expected UTF-8, got ${what}${about}`);
  }
}

/** Whether the bytes begin with a mark of UTF-16, or with what ASCII is in it. */
function isUtf16([first, second]: Uint8Array): boolean {
  if (first === undefined || second === undefined) return false;
  return (
    (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff) || first === 0 || second === 0
  );
}
