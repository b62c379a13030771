import type { Flag } from './flags.js';

/** What cleaning does with a character: remove it under a flag, or look at its neighbours first. */
export type CharacterKind = RemovedKind | 'joining';

type RemovedKind = Extract<
  Flag,
  'control-characters' | 'bidi-controls' | 'tag-characters' | 'private-use' | 'invisible-characters'
>;

type Range = readonly [first: number, last: number];

const RANGES: Readonly<Record<CharacterKind, readonly Range[]>> = {
  // All but tab and newline.
  'control-characters': [
    [0x00, 0x08],
    [0x0b, 0x1f],
    [0x7f, 0x9f],
  ],
  'bidi-controls': [
    [0x061c, 0x061c],
    [0x200e, 0x200f],
    [0x202a, 0x202e],
    [0x2066, 0x2069],
  ],
  'tag-characters': [[0xe0000, 0xe007f]],
  'private-use': [
    [0xe000, 0xf8ff],
    // Planes that Unicode has left empty: no runtime, however old, takes a new letter or emoji for one of these.
    [0x40000, 0xdffff],
    [0xe1000, 0xeffff],
    [0xf0000, 0xffffd],
    [0x100000, 0x10fffd],
  ],
  // Soft hyphen, grapheme joiner, fillers, word joiner and invisible operators, byte order mark, annotation, musical and
  // shorthand controls, the empty notehead, noncharacters, and the unassigned part of the planes set aside for such characters.
  'invisible-characters': [
    [0x00ad, 0x00ad],
    [0x034f, 0x034f],
    [0x115f, 0x1160],
    [0x17b4, 0x17b5],
    [0x2060, 0x2065],
    [0x206a, 0x206f],
    [0x3164, 0x3164],
    [0xfdd0, 0xfdef],
    [0xfeff, 0xfeff],
    [0xffa0, 0xffa0],
    [0xfff0, 0xfffb],
    [0xfffe, 0xffff],
    [0x1bca0, 0x1bca3],
    [0x1d159, 0x1d159],
    [0x1d173, 0x1d17a],
    [0xe0080, 0xe00ff],
    [0xe01f0, 0xe0fff],
  ],
  // Zero-width space and joiners, Mongolian and other variation selectors, the blank of Braille.
  joining: [
    [0x180b, 0x180f],
    [0x200b, 0x200d],
    [0x2800, 0x2800],
    [0xfe00, 0xfe0f],
    [0xe0100, 0xe01ef],
  ],
};

const KINDS: readonly CharacterKind[] = [
  'control-characters',
  'bidi-controls',
  'tag-characters',
  'private-use',
  'invisible-characters',
  'joining',
];

/** Index into {@link KINDS} plus one, by code unit; 0 for what stays. */
const basicPlane = new Uint8Array(0x10000);
const beyond: [first: number, last: number, kind: CharacterKind][] = [];
for (const [index, kind] of KINDS.entries()) {
  for (const [first, last] of RANGES[kind]) {
    if (last < 0x10000) basicPlane.fill(index + 1, first, last + 1);
    else beyond.push([first, last, kind]);
  }
}

/**
 * Looks a character up in a table, as a pattern over floods of such characters would need memory by their number.
 *
 * @param point a code point
 * @returns its kind; `undefined` for what stays as it is
 */
export function kindOf(point: number): CharacterKind | undefined {
  if (point < 0x10000) return KINDS[(basicPlane[point] ?? 0) - 1];
  if ((point & 0xfffe) === 0xfffe) return 'invisible-characters';
  return beyond.find(([first, last]) => point >= first && point <= last)?.[2];
}

/**
 * @param text a well-formed text
 * @param from where to start, in units
 * @returns the index of the next character of any kind, or the text's length
 */
export function nextOfAnyKind(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (basicPlane[unit] !== 0) return at;
    if (unit >= 0xd800 && unit <= 0xdbff && kindOf(text.codePointAt(at) ?? 0) !== undefined) return at;
  }
  return text.length;
}

/** @returns every range of characters that has a kind */
export function removableRanges(): readonly (readonly [first: number, last: number])[] {
  return KINDS.flatMap((kind) => RANGES[kind]);
}
