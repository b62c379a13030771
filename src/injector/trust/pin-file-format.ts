import { UNSEEN_CLASS } from '../../instructions/unseen.js';
import type { PinnedText, Pins } from './pins.js';

/** The version that is written, and the only one that is read. */
const VERSION = 1;
/** Of longer texts only the hash is kept, so that the file stays one that people can read. UTF-16 units. */
const MAX_KEPT_CHARS = 65_536;

const SHA256 = /^[0-9a-f]{64}$/;
/** What an editor, a terminal or a pull request would not show as it is. */
const UNSEEN = new RegExp(UNSEEN_CLASS, 'gu');

/** Why a pin file cannot be used. */
export type PinFileFault = 'not-json' | 'wrong-version' | 'wrong-shape' | 'wrong-hash';

/** A pin file whose text cannot be used. Nothing in it counts as approved then. */
export class PinFileError extends Error {
  override readonly name = 'PinFileError';
  readonly code: PinFileFault;

  constructor(code: PinFileFault) {
    super(code);
    this.code = code;
  }
}

/**
 * The text of a pin file: the same pins give the same bytes, and what a reader would not see is escaped.
 *
 * @param pins what was approved
 */
export function formatPins(pins: Pins): string {
  const sorted = [...pins]
    .map(([identity, texts]) => ({ identity, texts: texts.toSorted(compareTexts) }))
    .toSorted(
      (left, right) =>
        compare(left.texts[0]?.server ?? '', right.texts[0]?.server ?? '') ||
        compare(left.identity, right.identity),
    );
  const json = JSON.stringify(
    {
      version: VERSION,
      pins: sorted.map(({ identity, texts }) => ({
        identity,
        texts: texts.map(({ server, era, sha256, text }) => ({ server, era, sha256, lines: linesOf(text) })),
      })),
    },
    null,
    2,
  );
  // Line ends here are those of the layout; within strings they are escaped already.
  return `${json.replaceAll(UNSEEN, (character) => (character === '\n' ? character : escaped(character)))}\n`;
}

/** One line of the text is one line of the file, so that a changed text reads as a diff. */
function linesOf(text: string | undefined): string[] | undefined {
  return text === undefined || text.length > MAX_KEPT_CHARS ? undefined : text.split('\n');
}

/**
 * @param file the text of a pin file
 * @param hash SHA-256 in hex
 * @throws PinFileError when anything in it is not as it must be
 */
export function parsePins(file: string, hash: (text: string) => string): Pins {
  const content = parseJson(file);
  if (fieldOf(content, 'version') !== VERSION) {
    throw new PinFileError(typeof content === 'object' ? 'wrong-version' : 'wrong-shape');
  }
  const listed: unknown = fieldOf(content, 'pins');
  if (!Array.isArray(listed)) throw new PinFileError('wrong-shape');
  const pins = new Map<string, readonly PinnedText[]>();
  for (const item of listed as unknown[]) {
    const identity = fieldOf(item, 'identity');
    // Twice after a merge of two branches: which of the two holds cannot be guessed.
    if (typeof identity !== 'string' || identity === '' || pins.has(identity)) {
      throw new PinFileError('wrong-shape');
    }
    pins.set(identity, parseTexts(fieldOf(item, 'texts'), hash));
  }
  return pins;
}

function parseJson(file: string): unknown {
  try {
    return JSON.parse(file.replace(/^\uFEFF/, '')) as unknown;
  } catch {
    throw new PinFileError('not-json');
  }
}

function parseTexts(listed: unknown, hash: (text: string) => string): readonly PinnedText[] {
  if (!Array.isArray(listed) || listed.length === 0) throw new PinFileError('wrong-shape');
  const texts = listed.map((item: unknown) => parseText(item, hash));
  const places = new Set(texts.map(({ server, era }) => `${era} ${server}`));
  if (places.size < texts.length) throw new PinFileError('wrong-shape');
  return texts;
}

function parseText(item: unknown, hash: (text: string) => string): PinnedText {
  const server = fieldOf(item, 'server');
  const era = fieldOf(item, 'era');
  const sha256 = fieldOf(item, 'sha256');
  const lines: unknown = fieldOf(item, 'lines');
  if (typeof server !== 'string') throw new PinFileError('wrong-shape');
  if (era !== 'modern' && era !== 'legacy' && era !== null) throw new PinFileError('wrong-shape');
  if (typeof sha256 !== 'string' || !SHA256.test(sha256)) throw new PinFileError('wrong-shape');
  if (lines === undefined) return { server, era, sha256, text: undefined };
  if (!isTexts(lines)) throw new PinFileError('wrong-shape');
  const text = lines.join('\n');
  // A text that was edited by hand would make a reviewer compare with what nobody approved.
  if (hash(text.toWellFormed()) !== sha256) throw new PinFileError('wrong-hash');
  return { server, era, sha256, text };
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (Reflect.get(value, name) as unknown)
    : undefined;
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function compareTexts(left: PinnedText, right: PinnedText): number {
  return compare(left.server, right.server) || compare(left.era ?? '', right.era ?? '');
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

function escaped(character: string): string {
  let escapes = '';
  for (let index = 0; index < character.length; index += 1) {
    escapes += `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`;
  }
  return escapes;
}
