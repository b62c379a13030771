import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import manifest from '../../package.json' with { type: 'json' };
import { defaultBackoff, pauseAfter } from '../../src/servers/backoff.js';
import { EventHub } from '../../src/servers/event-hub.js';
import { errorCode, readRetryAfter } from '../../src/servers/failure.js';
import { makeRecord, sameText } from '../../src/servers/instructions-record.js';
import { isDeeper } from '../../src/servers/json-depth.js';
import { limitBody } from '../../src/servers/limited-body.js';
import { LineReader } from '../../src/servers/line-reader.js';
import { packageInfo } from '../../src/servers/package-info.js';
import { RetryCount } from '../../src/servers/retry-count.js';
import { cleanServerInfo } from '../../src/servers/server-info.js';
import { TextTail } from '../../src/servers/text-tail.js';

/** Bytes in pieces of random sizes. */
function pieces(bytes: Buffer, sizes: readonly number[]): Buffer[] {
  const parts: Buffer[] = [];
  let start = 0;
  for (let index = 0; start < bytes.length; index += 1) {
    const size = Math.max(1, sizes[index % Math.max(1, sizes.length)] ?? 1);
    parts.push(bytes.subarray(start, start + size));
    start += size;
  }
  return parts;
}

const text = fc.string({ unit: 'grapheme', maxLength: 40 }).map((value) => value.replaceAll('\n', ''));
const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 5 });

describe('LineReader', () => {
  it('gives the same lines however the bytes are cut', () => {
    fc.assert(
      fc.property(fc.array(text), sizes, (lines, cuts) => {
        const reader = new LineReader(10_000);
        const read = pieces(Buffer.from(lines.map((line) => `${line}\n`).join('')), cuts).flatMap((part) =>
          reader.push(part),
        );
        expect(read).toEqual(lines);
      }),
    );
  });

  it('refuses a line over the limit, and none at it', () => {
    expect(new LineReader(3).push(Buffer.from('abc\nabc'))).toEqual(['abc']);
    expect(() => new LineReader(3).push(Buffer.from('abcd'))).toThrow(RangeError);
  });
});

describe('TextTail', () => {
  it('is the end of the text, however the bytes are cut', () => {
    fc.assert(
      fc.property(fc.array(text), sizes, fc.integer({ min: 1, max: 50 }), (parts, cuts, maxChars) => {
        const whole = parts.join(' ');
        const tail = new TextTail(maxChars);
        for (const part of pieces(Buffer.from(whole), cuts)) tail.push(part);
        expect(whole.trimEnd().endsWith(tail.text)).toBe(true);
        expect(tail.text.length).toBeLessThanOrEqual(maxChars);
        expect(tail.text.isWellFormed()).toBe(true);
      }),
    );
  });
});

describe('limitBody', () => {
  async function read(parts: readonly string[], type: string, maxBytes: number): Promise<string> {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const part of parts) controller.enqueue(new TextEncoder().encode(part));
        controller.close();
      },
    });
    const response = new Response(body, { headers: { 'content-type': type } });
    return await limitBody(response, { maxBytes, onOverflow: () => {} }).text();
  }

  it('counts a whole body, and each event of a stream by itself', async () => {
    await expect(read(['abc', 'def'], 'application/json', 6)).resolves.toBe('abcdef');
    await expect(read(['abc', 'defg'], 'application/json', 6)).rejects.toThrow(RangeError);
    const events = ['data: 1\n\ndata: 2', '2\r\n\r\ndata: 3\n\n'];
    await expect(read(events, 'text/event-stream', 10)).resolves.toBe(events.join(''));
    await expect(read(['data: 1\n', 'data: 2\n\n'], 'text/event-stream', 10)).rejects.toThrow(RangeError);
    await expect(read(['data: 12345', '67890'], 'text/event-stream', 10)).rejects.toThrow(RangeError);
  });

  it('keeps status, headers and address, and leaves empty answers alone', () => {
    const response = limitBody(new Response('x', { status: 202, headers: { a: 'b' } }), {
      maxBytes: 1,
      onOverflow: () => {},
    });
    expect([response.status, response.headers.get('a')]).toEqual([202, 'b']);
    const empty = new Response(null, { status: 204 });
    expect(limitBody(empty, { maxBytes: 1, onOverflow: () => {} })).toBe(empty);
  });
});

describe('pauses', () => {
  it('double up to the longest, then are slow, and spread by a fifth', () => {
    const nominal = Array.from({ length: 9 }, (_, index) => pauseAfter(index + 1, defaultBackoff, 0.5));
    expect(nominal.map(({ delayMs }) => delayMs)).toEqual([1e3, 2e3, 4e3, 8e3, 16e3, 30e3, 3e5, 3e5, 3e5]);
    expect(nominal.map(({ slow }) => slow).indexOf(true)).toBe(6);
    expect(pauseAfter(1, defaultBackoff, 0).delayMs).toBe(800);
    expect(pauseAfter(1, defaultBackoff, 1).delayMs).toBe(1_200);
  });

  it('at most 8 starts in a minute, whatever the dice say', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0, max: 0.999, noNaN: true }), { minLength: 20, maxLength: 20 }),
        (dice) => {
          const retries = new RetryCount(defaultBackoff);
          let now = 0;
          let starts = 0;
          for (const die of dice) {
            if (now > 60_000) break;
            starts += 1;
            retries.noteLoss(0);
            now += retries.pause(die).delayMs;
          }
          expect(starts).toBeLessThanOrEqual(8);
        },
      ),
    );
  });

  it('what will not change by itself is asked slowly at once', () => {
    const retries = new RetryCount(defaultBackoff);
    retries.noteFailure('version-refused');
    expect(retries.pause(0.5)).toEqual({ delayMs: 300_000, slow: true });
    retries.noteFailure('exited');
    expect(retries.pause(0.5).slow).toBe(false);
  });
});

describe('what a server calls itself', () => {
  it.each([
    [
      { name: 'a\u0000b\u001B[31m\n# c\u202E', version: '1.0' },
      { name: 'a b [31m # c', version: '1.0' },
    ],
    [
      { name: 'n'.repeat(100), version: 3 },
      { name: 'n'.repeat(64), version: '' },
    ],
    [{ name: ' \u200B ' }, undefined],
    [{ name: 5 }, undefined],
    ['name', undefined],
    [null, undefined],
  ])('%j', (given, shown) => {
    expect(cleanServerInfo(given)).toEqual(shown);
  });
});

describe('records', () => {
  const origin = { source: 'discover', era: 'modern', protocolVersion: '2026-07-28', receivedAt: 1 } as const;

  it('are the same where a model would be shown the same', () => {
    const values: readonly unknown[] = ['a', 'b', '', undefined, null, 4, {}, []];
    for (const [left, one] of values.entries())
      for (const [right, other] of values.entries())
        expect(sameText(makeRecord(one, origin), makeRecord(other, origin))).toBe(left === right);
    expect(sameText(makeRecord('\uD800', origin), makeRecord('\uFFFD', origin))).toBe(true);
  });
});

describe('errorCode', () => {
  it('looks into causes and lists, and takes no code of the SDK for the system’s', () => {
    const inner = Object.assign(new Error('x'), { code: 'ECONNREFUSED' });
    expect(errorCode(new TypeError('fetch failed', { cause: new AggregateError([inner]) }))).toBe(
      'ECONNREFUSED',
    );
    expect(errorCode(Object.assign(new Error('x'), { code: 'ERA_NEGOTIATION_FAILED', cause: inner }))).toBe(
      'ECONNREFUSED',
    );
    expect(errorCode(Object.assign(new Error('x'), { code: 'not a code' }))).toBeUndefined();
    const circle: { cause?: unknown } = {};
    circle.cause = circle;
    expect(errorCode(circle)).toBeUndefined();
  });
});

it('a listener is called as often as it was given, and taken off by its own function', () => {
  const hub = new EventHub<{ tick: number }>();
  const heard: number[] = [];
  const listener = (value: number): void => void heard.push(value);
  const offs = [hub.on('tick', listener), hub.on('tick', listener)];
  hub.emit('tick', 1);
  offs[0]?.();
  offs[0]?.();
  hub.emit('tick', 2);
  expect(heard).toEqual([1, 1, 2]);
});

it('a listener that listens anew whenever it is called is called once for each event', () => {
  const hub = new EventHub<{ tick: number }>();
  const heard: number[] = [];
  const listen = (): void => {
    const off = hub.on('tick', (value) => {
      off();
      heard.push(value);
      // Enough to tell; without a bound a fault here would never end.
      if (heard.length < 10) listen();
    });
  };
  listen();
  hub.emit('tick', 1);
  expect(heard).toEqual([1]);
  hub.emit('tick', 2);
  expect(heard).toEqual([1, 2]);
});

it('a listener that another one takes off is not called any more, and one added not yet', () => {
  const hub = new EventHub<{ tick: number }>();
  const heard: string[] = [];
  hub.on('tick', () => {
    off();
    hub.on('tick', () => heard.push('added'));
  });
  const off = hub.on('tick', () => heard.push('taken off'));
  hub.emit('tick', 1);
  expect(heard).toEqual([]);
  hub.emit('tick', 2);
  expect(heard).toEqual(['added']);
});

describe('isDeeper', () => {
  const depthOf = (value: unknown): number =>
    typeof value === 'object' && value !== null
      ? 1 + Math.max(0, ...Object.values(value).map((part) => depthOf(part)))
      : 0;

  it('is as deep as what it stands for', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), fc.integer({ min: 0, max: 7 }), (json, limit) => {
        expect(isDeeper(json, limit)).toBe(depthOf(JSON.parse(json)) > limit);
      }),
    );
  });

  it('brackets and quotes inside of strings do not count', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('[', '{', '"', '\\', ']', 'a') }), (inner) => {
        expect(isDeeper(JSON.stringify([{ [inner]: inner }]), 2)).toBe(false);
        expect(isDeeper(JSON.stringify([{ [inner]: [inner] }]), 2)).toBe(true);
      }),
    );
  });
});

it('the package says its own name and version', () => {
  expect(packageInfo).toEqual({ name: manifest.name, version: manifest.version });
});

it.each([
  ['5', 5_000],
  [' 5\t', 5_000],
  ['9'.repeat(400), 3_600_000],
  [`${new Date(61_000).toUTCString()} `, 60_000],
  ['', undefined],
  ['1e3', undefined],
  ['0', undefined],
  ['999999', 3_600_000],
  ['-1', undefined],
  ['soon', undefined],
  [null, undefined],
  [new Date(61_000).toUTCString(), 60_000],
])('Retry-After: %s', (header, ms) => {
  expect(readRetryAfter(header, 1_000)).toBe(ms);
});
