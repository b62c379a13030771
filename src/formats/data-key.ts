import { digestKey, digestText } from '../conversation/digest.js';
import { isObject } from '../values.js';

/** Up to so many bytes or units, all of a file counts. */
const WHOLE = 65_536;
/** How much of a longer one counts at either end. */
const END = 4096;
/** How many places between them are looked at, and how much of each counts. */
const PLACES = 256;
const PLACE = 64;
/** How many bytes become one string at a time: a longer list of arguments can overflow the stack. */
const SLICE = 4096;

/**
 * Names a file's data, which is a text, bytes, an address, or an object that holds one of them. A prompt is named anew for each step, from
 * new objects as often as not, so that nothing can be remembered by them: of a long file its length, its ends and samples count. Two that
 * differ elsewhere are told apart by all else in the history, and at worst a block is told again.
 *
 * @param data whatever a prompt holds
 */
export function dataKey(data: unknown): string {
  if (ArrayBuffer.isView(data)) {
    const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    return sampled(bytes.length, (start, end) => textOf(bytes.subarray(start, end)));
  }
  if (data instanceof URL) return data.href;
  if (isObject(data)) return Object.values(data).map(dataKey).join(' ');
  const text = String(data);
  return text.length <= WHOLE ? text : sampled(text.length, (start, end) => text.slice(start, end));
}

function sampled(length: number, take: (start: number, end: number) => string): string {
  const keys: string[] = [];
  const add = (start: number, end: number): void => {
    for (let at = start; at < end; at += SLICE) {
      keys.push(digestKey(digestText(take(at, Math.min(end, at + SLICE)), 0)));
    }
  };
  if (length <= WHOLE) add(0, length);
  else {
    add(0, END);
    const step = (length - 2 * END) / PLACES;
    const places = Array.from({ length: PLACES }, (_, place) => END + Math.floor(place * step));
    const between = places.map((start) => take(start, start + PLACE)).join('');
    keys.push(digestKey(digestText(between, 0)));
    add(length - END, length);
  }
  return `${length} ${keys.join(' ')}`;
}

function textOf(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes);
}
