/** The longest cluster that is kept whole, in UTF-16 units; no honest one is longer. */
const MAX_CLUSTER = 128;
/** How far before the limit segmenting starts: enough to see every border of the last {@link MAX_CLUSTER} units. */
const LOOK_BACK = 256;

const CLINGING = /[\p{M}\p{Cf}]/u;

let segmenter: Intl.Segmenter | undefined;

/**
 * The last grapheme border at or before a limit, so that a cut never splits what a reader sees as one character.
 *
 * @param text a well-formed text
 * @param limit UTF-16 units
 * @returns a position of at most `limit`, never inside a surrogate pair; where one cluster is longer than 128 units, a
 *   position inside it after a base character
 */
export function graphemeBorder(text: string, limit: number): number {
  if (limit >= text.length) return text.length;
  if (limit <= 0) return 0;
  // Between two ASCII characters there is a border; only CRLF is one character, and its CR means the same alone.
  if (text.charCodeAt(limit) < 0x80 && text.charCodeAt(limit - 1) < 0x80) return limit;
  const from = windowStart(text, limit);
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  const index = segmenter.segment(text.slice(from, limit + 2)).containing(limit - from)?.index ?? 0;
  const border = from + index;
  return limit - border > MAX_CLUSTER ? borderInside(text, limit) : border;
}

/** A place to start segmenting that does not turn the borders after it around. */
function windowStart(text: string, limit: number): number {
  let from = Math.max(0, limit - LOOK_BACK);
  if (from > 0 && isLowSurrogate(text, from)) from -= 1;
  // Regional indicators pair up from the start of their run: start at an even one.
  let indicators = 0;
  for (let at = from - 2; at >= 0 && isRegionalIndicator(text, at); at -= 2) indicators += 1;
  return indicators % 2 === 1 ? from - 2 : from;
}

/** One cluster is too long: cut after one of its base characters. */
function borderInside(text: string, limit: number): number {
  const from = limit - MAX_CLUSTER;
  let border = isLowSurrogate(text, limit) ? limit - 1 : limit;
  while (border > from) {
    const start = isLowSurrogate(text, border - 1) ? border - 2 : border - 1;
    if (!CLINGING.test(text.slice(start, border))) break;
    border = start;
  }
  return border;
}

function isLowSurrogate(text: string, index: number): boolean {
  const unit = text.charCodeAt(index);
  return unit >= 0xdc00 && unit <= 0xdfff;
}

function isRegionalIndicator(text: string, index: number): boolean {
  const point = text.codePointAt(index) ?? 0;
  return point >= 0x1f1e6 && point <= 0x1f1ff;
}
