import { approve, type Pin, type PinnedText, type Pins } from './pins.js';

/** The version that is written, and the only one that is read. */
const VERSION = 1;
/** Of longer texts only the hash is kept, so that the file stays one that people can read. UTF-16 units. */
const MAX_KEPT_CHARS = 65_536;

const SHA256 = /^[0-9a-f]{64}$/;
/** What an editor, a terminal or a pull request would not show as it is. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

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
  const sorted = [...pins.values()].toSorted(
    (left, right) => compare(left.server, right.server) || compare(left.identity, right.identity),
  );
  const json = JSON.stringify(
    {
      version: VERSION,
      pins: sorted.map(({ server, identity, texts }) => ({
        server,
        identity,
        texts: texts
          .toSorted((left, right) => compare(left.era ?? '', right.era ?? ''))
          .map(({ era, sha256, text }) => ({ era, sha256, lines: linesOf(text) })),
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
  const pins = new Map<string, Pin>();
  for (const item of listed as unknown[]) {
    const pin = parsePin(item, hash);
    // Two merged branches: which of the two holds cannot be guessed.
    if (pins.has(pin.identity)) throw new PinFileError('wrong-shape');
    pins.set(pin.identity, pin);
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

function parsePin(item: unknown, hash: (text: string) => string): Pin {
  const server = fieldOf(item, 'server');
  const identity = fieldOf(item, 'identity');
  const listed: unknown = fieldOf(item, 'texts');
  if (typeof server !== 'string' || typeof identity !== 'string' || identity === '') {
    throw new PinFileError('wrong-shape');
  }
  if (!Array.isArray(listed) || listed.length === 0) throw new PinFileError('wrong-shape');
  let pins: Pins = new Map();
  for (const text of listed as unknown[]) pins = approve(pins, identity, server, parseText(text, hash));
  const pin = pins.get(identity);
  if (pin?.texts.length !== listed.length) throw new PinFileError('wrong-shape');
  return pin;
}

function parseText(item: unknown, hash: (text: string) => string): PinnedText {
  const era = fieldOf(item, 'era');
  const sha256 = fieldOf(item, 'sha256');
  const lines: unknown = fieldOf(item, 'lines');
  if (era !== 'modern' && era !== 'legacy' && era !== null) throw new PinFileError('wrong-shape');
  if (typeof sha256 !== 'string' || !SHA256.test(sha256)) throw new PinFileError('wrong-shape');
  if (lines === undefined) return { era, sha256, text: undefined };
  if (!isTexts(lines)) throw new PinFileError('wrong-shape');
  const text = lines.join('\n');
  // A text that was edited by hand would make a reviewer compare with what nobody approved.
  if (hash(text.toWellFormed()) !== sha256) throw new PinFileError('wrong-hash');
  return { era, sha256, text };
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (Reflect.get(value, name) as unknown)
    : undefined;
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
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
