import { array, assert, nat, property } from 'fast-check';
import { expect, test } from 'vitest';

import { shareFairly } from '../../src/instructions/budgets.js';

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

test.each([
  [[], 100, []],
  [[5], 100, [5]],
  [[500], 100, [100]],
  [[300, 2048, 2048], 3000, [300, 1350, 1350]],
  [[2048, 300, 2048], 3000, [1350, 300, 1350]],
  [[10, 10, 10], 30, [10, 10, 10]],
  [[10, 10, 10], 29, [9, 9, 9]],
  [[100, 100, 100], 100, [33, 33, 33]],
  [[5, 5], 0, [0, 0]],
  [[5, 5], -7, [0, 0]],
  [[5, 5], 1, [0, 0]],
  [[0, 7], 5, [0, 5]],
] as const)('%j of %i: %j', (wants, total, shares) => {
  expect(shareFairly(wants, total)).toEqual(shares);
});

test('small ones are whole, large ones equal, and as much is given as there is', () => {
  assert(
    property(array(nat(5000), { maxLength: 12 }), nat(20_000), (wants, total) => {
      const shares = shareFairly(wants, total);
      const cut = shares.filter((share, index) => share !== wants[index]);
      const [level = Number.POSITIVE_INFINITY] = cut;
      expect(new Set(cut).size).toBeLessThan(2);
      shares.forEach((share, index) => expect(share).toBe(Math.min(wants[index] ?? 0, level)));
      expect(sum(shares)).toBeLessThanOrEqual(total);
      // What is left is not enough for one more unit each.
      if (cut.length > 0) expect(total - sum(shares)).toBeLessThan(cut.length);
    }),
  );
});

test('the order changes nothing', () => {
  assert(
    property(array(nat(500), { maxLength: 8 }), nat(2000), (wants, total) => {
      const ordered = (numbers: readonly number[]): number[] => numbers.toSorted((a, b) => a - b);
      expect(ordered(shareFairly(wants.toReversed(), total))).toEqual(ordered(shareFairly(wants, total)));
    }),
  );
});
