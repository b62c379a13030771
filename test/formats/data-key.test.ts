import { expect, test } from 'vitest';

import { BlockDigests } from '../../src/formats/block-digests.js';
import { dataKey } from '../../src/formats/data-key.js';

/** A text whose every unit is of its own place. */
const textOf = (length: number): string =>
  Array.from({ length }, (_, at) => String.fromCharCode(32 + ((at * 7919) % 90))).join('');
const bytesOf = (length: number): Uint8Array => new TextEncoder().encode(textOf(length));

test.each([0, 1, 5_000, 65_536, 65_537, 300_000])('a copy of %i units has the same name', (length) => {
  expect(dataKey(bytesOf(length))).toBe(dataKey(bytesOf(length)));
  expect(dataKey(textOf(length))).toBe(dataKey(textOf(length)));
  expect(dataKey(Buffer.from(bytesOf(length)))).toBe(dataKey(bytesOf(length)));
});

test('files of another length, and with other ends, have other names', () => {
  for (const length of [10, 65_536, 300_000]) {
    const name = dataKey(bytesOf(length));
    for (const at of [0, Math.min(4095, length - 1), length - 1]) {
      const other = bytesOf(length);
      other[at] = 1;
      expect(dataKey(other)).not.toBe(name);
    }
    expect(dataKey(bytesOf(length + 1))).not.toBe(name);
  }
});

test('every byte of a short file counts, and of a long one what makes another file', () => {
  const short = bytesOf(40_000);
  short[20_001] = 1;
  expect(dataKey(short)).not.toBe(dataKey(bytesOf(40_000)));
  const long = bytesOf(300_000);
  long.fill(1, 100_000, 102_000);
  expect(dataKey(long)).not.toBe(dataKey(bytesOf(300_000)));
});

test('of a long file little counts, whatever its length', () => {
  // One key for each piece that is digested.
  const pieces = (length: number): number => dataKey('x'.repeat(length)).split(' ').length;
  expect(pieces(20_000_000)).toBe(pieces(100_000));
});

test('bytes in a part of any format are named so', () => {
  const digests = new BlockDigests();
  const part = (bytes: Uint8Array): object => ({ type: 'image', source: { data: bytes } });
  const long = bytesOf(200_000);
  expect(digests.ofAll(part(long))).toEqual(digests.ofAll(part(long.slice())));
  expect(digests.ofAll(part(long))).not.toEqual(digests.ofAll(part(bytesOf(200_001))));
  // Of a long file not every byte counts.
  const other = long.slice();
  other[20_000] = 1;
  expect(digests.ofAll(part(other))).toEqual(digests.ofAll(part(long)));
});

test('addresses, and objects that hold data, are named by it', () => {
  expect(dataKey(new URL('https://lab/a'))).toBe('https://lab/a');
  expect(dataKey({ type: 'data', data: bytesOf(9) })).toContain(dataKey(bytesOf(9)));
  expect(dataKey(undefined)).toBe('undefined');
});
