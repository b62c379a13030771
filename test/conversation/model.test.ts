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
