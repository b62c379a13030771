import { describe, expect, test } from 'vitest';
import { RepeatLimiter } from '../../src/observe/repeat-limiter.js';
import type { LogRecord } from '../../src/observe/sink.js';

function record(number: number): LogRecord {
  return { level: 'warn', message: 'm', fields: { number } };
}

interface Limited {
  readonly written: unknown[];
  readonly pass: (key: string | undefined, number: number) => void;
  readonly flush: () => void;
  readonly at: (now: number) => void;
}

function setUp(): Limited {
  let now = 0;
  const written: unknown[] = [];
  const limiter = new RepeatLimiter(
    100,
    () => now,
    ({ fields }) => written.push(fields),
  );
  return {
    written,
    pass: (key, number) => limiter.pass(key, record(number)),
    flush: () => limiter.flush(),
    at: (time) => {
      now = time;
    },
  };
}

describe('like lines', () => {
  test('the first comes at once, the rest as one line with the newest fields', () => {
    const { pass, at, written } = setUp();
    for (let number = 1; number <= 5; number += 1) pass('a', number);
    at(99);
    pass('a', 6);
    expect(written).toEqual([{ number: 1 }]);
    at(100);
    pass('b', 7);
    expect(written).toEqual([{ number: 1 }, { number: 6, repeated: 5 }, { number: 7 }]);
  });

  test('after the window the next one comes at once again', () => {
    const { pass, at, written } = setUp();
    pass('a', 1);
    at(100);
    pass('a', 2);
    pass('a', 3);
    expect(written).toEqual([{ number: 1 }, { number: 2 }]);
  });

  test('flush brings what is held back, once', () => {
    const { pass, flush, written } = setUp();
    pass('a', 1);
    pass('b', 2);
    pass('a', 3);
    flush();
    flush();
    expect(written).toEqual([{ number: 1 }, { number: 2 }, { number: 3, repeated: 1 }]);
  });

  test('no key, no holding back', () => {
    const { pass, flush, written } = setUp();
    pass(undefined, 1);
    pass(undefined, 2);
    flush();
    expect(written).toEqual([{ number: 1 }, { number: 2 }]);
  });

  test('ten thousand keys keep a thousand, and lose no count', () => {
    const { pass, flush, written } = setUp();
    for (let number = 0; number < 10_000; number += 1) {
      pass(`key ${number}`, number);
      pass(`key ${number}`, number);
    }
    expect(written).toHaveLength(10_000 + 9_000);
    flush();
    expect(written).toHaveLength(20_000);
  });
});
