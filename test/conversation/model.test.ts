import { describe, expect, it } from 'vitest';
import { HABITS, HostModel } from '../support/host-model.js';

/** Runs of each habit; together more than 10,000. `MODEL_RUNS` asks for more. */
const RUNS = Number(process.env['MODEL_RUNS'] ?? 540);
const STEPS = 10;

describe('random histories, server lives and host habits', () => {
  it.each(HABITS)('%s', (habit) => {
    let sends = 0;
    for (let seed = 1; seed <= RUNS; seed += 1) {
      const model = new HostModel(seed * 7919, habit);
      model.run(STEPS);
      sends += model.sends;
      expect({ seed, faults: model.faults }).toEqual({ seed, faults: [] });
    }
    expect(sends).toBeGreaterThanOrEqual(RUNS * STEPS);
  });
});

describe('two habits together', () => {
  const runs = Math.ceil(RUNS / 9);

  it.each([
    'branches+drops-oldest',
    'branches+consecutive-messages',
    'compacts+branches',
    'stores-prepared+branches',
    'stores-prepared+compacts',
    'stores-prepared+consecutive-messages',
    'stores-prepared+retries',
    'stores-prepared+saves-and-restores',
  ] as const)('%s', (habits) => {
    for (let seed = 1; seed <= runs; seed += 1) {
      const model = new HostModel(seed * 7919, habits);
      model.run(2 * STEPS);
      expect({ seed, faults: model.faults }).toEqual({ seed, faults: [] });
    }
  });

  // A stored line stays although the text it speaks of was cut off, and a message that by chance says what an earlier one said may get its
  // block: the model then reads a line or a text too many, and never too little.
  it('stores-prepared+drops-oldest: nothing is missing, wrong or moved', () => {
    for (let seed = 1; seed <= runs; seed += 1) {
      const model = new HostModel(seed * 7919, 'stores-prepared+drops-oldest');
      model.run(2 * STEPS);
      const faults = model.faults.filter((fault) => !/^(restored without its text|told twice)/.test(fault));
      expect({ seed, faults }).toEqual({ seed, faults: [] });
    }
  });
});
