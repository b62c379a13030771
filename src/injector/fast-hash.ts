import { TextMemory } from '../conversation/text-memory.js';
import { sha256Hex } from '../instructions/sha256.js';

interface NodeCrypto {
  createHash(name: string): { update(text: string, encoding: string): { digest(encoding: string): string } };
}

/** Node's own SHA-256 where there is Node, without an import that other runtimes would fail on. */
function nodeCrypto(): NodeCrypto | undefined {
  const { process } = globalThis as {
    process?: { getBuiltinModule?: (name: string) => NodeCrypto | undefined };
  };
  return process?.getBuiltinModule?.('node:crypto');
}

/** @returns SHA-256 of a text's UTF-8 bytes, in 64 hex digits, as fast as the runtime has it */
export function fastSha256(): (text: string) => string {
  const crypto = nodeCrypto();
  if (crypto === undefined) return sha256Hex;
  return (text) => crypto.createHash('sha256').update(text, 'utf8').digest('hex');
}

/** How many hex digits name a block or a section in a ledger. */
const KEY_DIGITS = 32;

/**
 * Short keys for texts, remembered: blocks and sections repeat from request to request.
 *
 * @param sha256 the hash they are made with
 */
export function textKeys(sha256: (text: string) => string): (text: string) => string {
  const known = new TextMemory<string>();
  const keyOf = (text: string): string => sha256(text).slice(0, KEY_DIGITS);
  return (text) => known.of(text, keyOf);
}
