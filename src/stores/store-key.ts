import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

/** Not one that could be taken for a hashed key. */
const plain = /^(?!sha256-)[A-Za-z0-9_.-]{1,100}$/;

/**
 * The key under which a conversation is stored: readable where the id is short and plain, else its hash, since stores differ in what they
 * do to a key (case, length, and characters that mean something to them).
 *
 * @param id the conversation, as the host names it
 */
export function storeKey(id: string): string {
  const name = plain.test(id) ? id : `sha256-${bytesToHex(sha256(utf8ToBytes(id)))}`;
  return `mcp-instructions:${name}`;
}
