import { expect, test } from 'vitest';
import { InstructionsError } from '../../src/errors.js';
import { memoryStore } from '../../src/stores/memory-store.js';

test('the least recently used goes first; reading and writing are use', () => {
  const store = memoryStore({ max: 3 });
  for (const key of ['a', 'b', 'c']) store.set(key, key);
  store.get('a');
  store.update('b', (old) => `${old}b`);
  store.set('d', 'd');
  expect(['a', 'b', 'c', 'd'].map((key) => store.get(key))).toEqual(['a', 'bb', undefined, 'd']);
  expect(store.size).toBe(3);
});

test('ten thousand keys keep what fits', () => {
  const store = memoryStore();
  for (let number = 0; number < 10_000; number += 1) store.set(`k${number}`, 'x');
  expect(store.size).toBe(1_000);
});

test.each([0, -1, 1.5, Number.NaN, Infinity])('max %d is refused', (max) => {
  let thrown: unknown;
  try {
    memoryStore({ max });
  } catch (error) {
    thrown = error;
  }
  expect(InstructionsError.isInstance(thrown) && thrown.code).toBe('INVALID_OPTION');
});
