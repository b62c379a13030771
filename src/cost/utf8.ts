/**
 * Length of a text in UTF-8. A lone surrogate counts as U+FFFD, as every encoder writes it.
 *
 * @param text any text
 * @returns the length in bytes
 */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) continue;
    if (unit < 0x800) bytes += 1;
    else if (isPair(text, i)) {
      bytes += 2;
      i++;
    } else bytes += 2;
  }
  return bytes;
}

/**
 * Writes a stretch of text as UTF-8. For the short pieces of a tokenizer this is faster than `TextEncoder`.
 *
 * @param text where it stands; a surrogate pair must not lie across `end`
 * @param start its first UTF-16 unit
 * @param end the unit after its last
 * @param bytes written from the start; must hold three bytes a unit
 * @returns the number of bytes written
 */
export function writeUtf8(text: string, start: number, end: number, bytes: Uint8Array): number {
  let length = 0;
  for (let i = start; i < end; i++) {
    let unit = text.charCodeAt(i);
    if (unit < 0x80) {
      bytes[length++] = unit;
      continue;
    }
    if (unit < 0x800) {
      bytes[length++] = 0xc0 | (unit >> 6);
    } else {
      if (isPair(text, i)) {
        unit = 0x10000 + ((unit & 0x3ff) << 10) + (text.charCodeAt(++i) & 0x3ff);
        bytes[length++] = 0xf0 | (unit >> 18);
        bytes[length++] = 0x80 | ((unit >> 12) & 0x3f);
      } else {
        if (isSurrogate(unit)) unit = 0xfffd;
        bytes[length++] = 0xe0 | (unit >> 12);
      }
      bytes[length++] = 0x80 | ((unit >> 6) & 0x3f);
    }
    bytes[length++] = 0x80 | (unit & 0x3f);
  }
  return length;
}

/** Whether a surrogate pair starts at this unit. */
export function isPair(text: string, index: number): boolean {
  return (text.charCodeAt(index) & 0xfc00) === 0xd800 && (text.charCodeAt(index + 1) & 0xfc00) === 0xdc00;
}

function isSurrogate(unit: number): boolean {
  return (unit & 0xf800) === 0xd800;
}
