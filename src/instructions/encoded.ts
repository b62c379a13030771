/** A character written in an encoded form, and how many units that form takes. */
export interface Decoded {
  readonly character: string;
  readonly length: number;
}

const ENTITY =
  /&(?:amp;)*(?:#(?:x0*(?<hex>[0-9a-f]{1,6})|0*(?<decimal>\d{1,7}))|(?<name>[a-z]{2,8})(?=[^a-z]));?/iuy;
const ESCAPE =
  /\\(?:u\{0*(?<braced>[0-9a-fA-F]{1,6})\}|u(?<four>[0-9a-fA-F]{4})|x(?<two>[0-9a-fA-F]{2})|U(?<eight>000[0-9a-fA-F]{5}))/uy;
const PERCENT = /%(?:25)*(?<byte>[0-9a-f]{2})/iuy;
const PERCENT_BYTES = /(?:%[0-9a-f]{2}){2,4}/iuy;

/** Named character references for what can stand in a tag of ours. */
const NAMED: Readonly<Record<string, string>> = {
  lt: '<',
  lang: '⟨',
  langle: '⟨',
  lsaquo: '‹',
  laquo: '«',
  sol: '/',
  bsol: '\\',
  dash: '-',
  hyphen: '-',
  ndash: '-',
  mdash: '-',
  minus: '-',
  lowbar: '_',
  nbsp: ' ',
  ensp: ' ',
  emsp: ' ',
  thinsp: ' ',
  tab: ' ',
  newline: ' ',
  shy: '\u00ad',
  zwj: '\u200d',
  zwnj: '\u200c',
  excl: '!',
  quot: '"',
};

/**
 * Reads a character reference (`&lt;`, `&#60;`, `&#x3c;`, also escaped over again), an escape (`\u003c`, `\x3c`, `\u{3c}`) or
 * percent encoding (`%3C`, also `%253C`).
 *
 * @param text any text
 * @param index where the encoded form would start
 * @returns what is encoded there, or `undefined`
 */
export function decodeAt(text: string, index: number): Decoded | undefined {
  switch (text.charCodeAt(index)) {
    case 0x26:
      return entityAt(text, index);
    case 0x5c:
      return escapeAt(text, index);
    case 0x25:
      return percentAt(text, index);
    default:
      return undefined;
  }
}

function entityAt(text: string, index: number): Decoded | undefined {
  const match = matchAt(ENTITY, text, index);
  const { hex, decimal, name } = match?.groups ?? {};
  if (match === undefined) return undefined;
  const character = name === undefined ? fromNumber(hex, decimal) : NAMED[name.toLowerCase()];
  return character === undefined ? undefined : { character, length: match[0].length };
}

function escapeAt(text: string, index: number): Decoded | undefined {
  const match = matchAt(ESCAPE, text, index);
  if (match === undefined) return undefined;
  const { braced, four, two, eight } = match.groups ?? {};
  const character = fromNumber(braced ?? four ?? two ?? eight, undefined);
  return character === undefined ? undefined : { character, length: match[0].length };
}

function percentAt(text: string, index: number): Decoded | undefined {
  const single = matchAt(PERCENT, text, index);
  if (single === undefined) return undefined;
  const byte = Number.parseInt(single.groups?.['byte'] ?? '', 16);
  if (byte < 0x80) return { character: String.fromCharCode(byte), length: single[0].length };
  const length = byte >= 0xf0 ? 12 : byte >= 0xe0 ? 9 : 6;
  const bytes = matchAt(PERCENT_BYTES, text, index)?.[0].slice(0, length) ?? '';
  if (bytes.length !== length) return undefined;
  try {
    return { character: decodeURIComponent(bytes), length };
  } catch {
    return undefined;
  }
}

function matchAt(pattern: RegExp, text: string, index: number): RegExpExecArray | undefined {
  pattern.lastIndex = index;
  return pattern.exec(text) ?? undefined;
}

function fromNumber(hex: string | undefined, decimal: string | undefined): string | undefined {
  const point = hex === undefined ? Number(decimal ?? Number.NaN) : Number.parseInt(hex, 16);
  const scalar = point <= 0x10ffff && !(point >= 0xd800 && point <= 0xdfff);
  return scalar ? String.fromCodePoint(point) : undefined;
}
