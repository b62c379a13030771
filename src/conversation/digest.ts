/** 64 bits of a fast, non-cryptographic hash. A collision would only misplace a block. */
export interface Digest {
  readonly high: number;
  readonly low: number;
}

/** The digest of nothing: where every history starts. */
export const EMPTY_DIGEST: Digest = { high: 0x9e3779b9 | 0, low: 0x85ebca6b | 0 };

function finish(high: number, low: number): Digest {
  let a = high;
  let b = low;
  a = Math.imul(a ^ (a >>> 16), 0x85ebca6b) ^ Math.imul(b ^ (b >>> 13), 0xc2b2ae35);
  b = Math.imul(b ^ (b >>> 16), 0x85ebca6b) ^ Math.imul(a ^ (a >>> 13), 0xc2b2ae35);
  return { high: a, low: b };
}

/** The text at hand, as ASCII. A longer text gets bytes of its own. */
const shared = new Uint8Array(1 << 16);
const sharedWords = new Int32Array(shared.buffer);
const encoder = new TextEncoder();
/** Texts up to so many UTF-16 units are written by hand, which is faster. */
const SHORT_UNITS = 48;

/** A buffer for so many bytes, as bytes and as words. */
function bufferFor(length: number): readonly [Uint8Array, Int32Array] {
  if (length <= shared.length) return [shared, sharedWords];
  const bytes = new Uint8Array((length + 3) & ~3);
  return [bytes, new Int32Array(bytes.buffer)];
}

/** Writes a text into a buffer of its length. @returns whether it is all ASCII; if not, the buffer holds anything */
function writeAscii(text: string, bytes: Uint8Array): boolean {
  const { length } = text;
  const byHand = Math.min(length, SHORT_UNITS);
  for (let index = 0; index < byHand; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit > 0x7f) return false;
    bytes[index] = unit;
  }
  if (length <= SHORT_UNITS) return true;
  const { read, written } = encoder.encodeInto(text, bytes);
  return read === length && written === length;
}

/** Digests ASCII, four bytes at a time: this loop sees every text of a history that is new to the process. */
function digestAscii(bytes: Uint8Array, words: Int32Array, length: number, tag: number): Digest {
  let a = 0x1b873593 ^ tag;
  let b = 0x6b43a9b5 ^ Math.imul(tag, 0x27d4eb2f);
  const whole = length >> 2;
  for (let index = 0; index < whole; index += 1) {
    const word = words[index]!;
    a = Math.imul(a ^ word, 0x9e3779b1);
    b = Math.imul((b << 5) ^ (b >>> 27) ^ word, 0x5f356495);
  }
  for (let index = whole << 2; index < length; index += 1) {
    a = Math.imul(a ^ bytes[index]!, 0x9e3779b1);
    b = Math.imul((b << 5) ^ (b >>> 27) ^ bytes[index]!, 0x5f356495);
  }
  return finish(a ^ length, b ^ length);
}

/**
 * Digests a string.
 *
 * @param text any string, ill-formed ones included
 * @param tag keeps strings of different roles apart, such as a text and an id
 */
export function digestText(text: string, tag: number): Digest {
  const { length } = text;
  const [bytes, words] = bufferFor(length);
  if (writeAscii(text, bytes)) return digestAscii(bytes, words, length, tag);
  let a = 0x1b873593 ^ tag;
  let b = 0x6b43a9b5 ^ Math.imul(tag, 0x27d4eb2f);
  const even = length & ~1;
  for (let index = 0; index < even; index += 2) {
    const pair = text.charCodeAt(index) | (text.charCodeAt(index + 1) << 16);
    a = Math.imul(a ^ pair, 0x9e3779b1);
    b = Math.imul((b << 5) ^ (b >>> 27) ^ pair, 0x5f356495);
  }
  if (even !== length) {
    const unit = text.charCodeAt(even);
    a = Math.imul(a ^ unit, 0x9e3779b1);
    b = Math.imul((b << 5) ^ (b >>> 27) ^ unit, 0x5f356495);
  }
  return finish(a ^ length, b ^ length);
}

/** Whether a UTF-16 unit is white space, as `\s` means it. */
function isSpace(unit: number): boolean {
  if (unit < 0x1680) return unit === 32 || (unit >= 9 && unit <= 13) || unit === 0xa0;
  if (unit > 0x3000) return unit === 0xfeff;
  return (
    unit === 0x3000 ||
    unit === 0x1680 ||
    (unit >= 0x2000 && unit <= 0x200a) ||
    unit === 0x2028 ||
    unit === 0x2029 ||
    unit === 0x202f ||
    unit === 0x205f
  );
}

/** 1 for every ASCII character that is not white space. */
const INK: Uint8Array = Uint8Array.from({ length: 128 }, (_, unit) => (isSpace(unit) ? 0 : 1));

/**
 * Digests what is left of a string without its white space.
 *
 * @param text any string
 * @param tag as for {@link digestText}
 */
export function digestInk(text: string, tag: number): Digest {
  const { length } = text;
  const [bytes, words] = bufferFor(length);
  if (!writeAscii(text, bytes)) return digestWideInk(text, tag);
  let ink = 0;
  for (let index = 0; index < length; index += 1) {
    const byte = bytes[index]!;
    bytes[ink] = byte;
    ink += INK[byte]!;
  }
  return digestAscii(bytes, words, ink, tag);
}

function digestWideInk(text: string, tag: number): Digest {
  let a = 0x1b873593 ^ tag;
  let b = 0x6b43a9b5 ^ Math.imul(tag, 0x27d4eb2f);
  let ink = 0;
  let all = 0;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (isSpace(unit)) continue;
    ink += 1;
    all |= unit;
    a = Math.imul(a ^ unit, 0x9e3779b1);
    b = Math.imul((b << 5) ^ (b >>> 27) ^ unit, 0x5f356495);
  }
  // Only the white space was not ASCII: a host that trims it off must find the same digest.
  if (all <= 0x7f) return digestInk(text.replaceAll(/\s+/g, ''), tag);
  return finish(a ^ ink, b ^ ink);
}

/**
 * Chains a digest to the one before it, so that order matters.
 *
 * @param previous the digest of everything before
 * @param next what follows
 */
export function chainDigest(previous: Digest, next: Digest): Digest {
  const a = Math.imul(previous.high ^ next.low, 0x9e3779b1) ^ next.high;
  const b = Math.imul(previous.low ^ next.high, 0x5f356495) ^ next.low;
  return finish(a + 0x7f4a7c15, b + 0x165667b1);
}

const DIGITS: readonly number[] = Array.from(
  'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_',
  (digit) => digit.charCodeAt(0),
);

/** The digest as 11 characters, for use as a key in a ledger: one flat string, since ledgers hold many. */
export function digestKey({ high, low }: Digest): string {
  const digit = (bits: number): number => DIGITS[bits & 63]!;
  return String.fromCharCode(
    digit(high >>> 26),
    digit(high >>> 20),
    digit(high >>> 14),
    digit(high >>> 8),
    digit(high >>> 2),
    digit((high << 4) | (low >>> 28)),
    digit(low >>> 22),
    digit(low >>> 16),
    digit(low >>> 10),
    digit(low >>> 4),
    digit(low & 15),
  );
}
