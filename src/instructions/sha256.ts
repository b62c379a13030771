import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

/**
 * SHA-256 of a text's UTF-8 bytes, synchronous and the same on every runtime.
 *
 * @param text should be well-formed: UTF-8 has the same bytes for every lone surrogate
 * @returns 64 lower-case hexadecimal digits
 */
export function sha256Hex(text: string): string {
  return bytesToHex(sha256(utf8ToBytes(text)));
}
