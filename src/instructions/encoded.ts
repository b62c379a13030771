/** A character written in an encoded form, and how many units that form takes. */
export interface Decoded {
  readonly character: string;
  readonly length: number;
}

/** Some names count without their semicolon too. */
const ENTITY =
  /&(?:amp;)*(?:#(?:x0*([0-9a-f]{1,6})|0*(\d{1,7}));?|(lt|laquo|nbsp|quot|shy);?|([a-z]{2,8});)/iuy;
const ESCAPE = /\\(?:u\{0*([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|U(000[0-9a-fA-F]{5}))/uy;
const PERCENT = /%(?:25)*([0-9a-f]{2})/iuy;

/** Named character references for what can stand in a tag of ours. */
const NAMED: ReadonlyMap<string, string> = new Map([
  ['lt', '<'],
  ['lang', '<'],
  ['langle', '<'],
  ['lsaquo', '<'],
  ['laquo', '<'],
  ['sol', '/'],
  ['bsol', '/'],
  ['excl', '!'],
  ['quest', '?'],
  ['quot', '"'],
  ['dash', '-'],
  ['hyphen', '-'],
  ['ndash', '-'],
  ['mdash', '-'],
  ['minus', '-'],
  ['lowbar', '_'],
  ['nbsp', ' '],
  ['ensp', ' '],
  ['emsp', ' '],
  ['thinsp', ' '],
  ['tab', ' '],
  ['newline', ' '],
  ['shy', ' '],
  ['zwj', ' '],
  ['zwnj', ' '],
]);

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
  ENTITY.lastIndex = index;
  const match = ENTITY.exec(text);
  if (match === null) return undefined;
  const [whole, hex, decimal, legacy, closed] = match;
  const name = legacy ?? closed;
  const character = name === undefined ? fromNumber(hex, decimal) : NAMED.get(name.toLowerCase());
  return character === undefined ? undefined : { character, length: whole.length };
}

function escapeAt(text: string, index: number): Decoded | undefined {
  ESCAPE.lastIndex = index;
  const match = ESCAPE.exec(text);
  if (match === null) return undefined;
  const [whole, braced, four, two, eight] = match;
  const character = fromNumber(braced ?? four ?? two ?? eight, undefined);
  return character === undefined ? undefined : { character, length: whole.length };
}

function percentAt(text: string, index: number): Decoded | undefined {
  PERCENT.lastIndex = index;
  const match = PERCENT.exec(text);
  if (match === null) return undefined;
  const [whole, hex] = match;
  const lead = Number.parseInt(hex ?? '', 16);
  if (lead < 0x80) return { character: String.fromCharCode(lead), length: whole.length };
  // UTF-8: the number of leading ones says how many bytes follow.
  const following = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : lead >= 0xc2 ? 1 : 0;
  if (following === 0) return undefined;
  let point = lead & (0x3f >> following);
  for (let byte = 1; byte <= following; byte += 1) {
    const at = index + 3 * byte;
    const next = text.charAt(at) === '%' ? Number.parseInt(text.slice(at + 1, at + 3), 16) : Number.NaN;
    if ((next & 0xc0) !== 0x80) return undefined;
    point = (point << 6) | (next & 0x3f);
  }
  const character = fromPoint(point);
  return character === undefined ? undefined : { character, length: 3 * (following + 1) };
}

function fromNumber(hex: string | undefined, decimal: string | undefined): string | undefined {
  return fromPoint(hex === undefined ? Number(decimal ?? Number.NaN) : Number.parseInt(hex, 16));
}

function fromPoint(point: number): string | undefined {
  const scalar = point <= 0x10ffff && !(point >= 0xd800 && point <= 0xdfff);
  return scalar ? String.fromCodePoint(point) : undefined;
}
