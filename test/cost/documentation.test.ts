import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { calibrations } from '../../src/cost/calibration-data.js';
import type { HeldOutErrors } from '../../src/cost/calibration.js';
import type { NotCounted } from '../../src/cost/count.js';

const page = readFileSync(new URL('../../docs/cost.md', import.meta.url), 'utf8');

function cells({ p50, p90, max, inBand, halfWidth }: HeldOutErrors): string {
  return `${p50} / ${p90} / ${max} | ${inBand} | ${halfWidth}`;
}

it('docs/cost.md shows the errors that the calibrations record', () => {
  const newer = calibrations['claude-5'].heldOut;
  for (const [kind, older] of Object.entries(calibrations['claude-3'].heldOut)) {
    expect(page).toContain(`| ${kind} | ${older.n} | ${cells(newer[kind]!)} | ${cells(older)} |\n`);
  }
  expect(page).toContain(calibrations['claude-5'].name);
  expect(page).toContain(calibrations['claude-5'].corpus);
});

it('docs/cost.md explains every reason for not counting', () => {
  const reasons: Record<NotCounted, true> = {
    pending: true,
    'other-model': true,
    timeout: true,
    refused: true,
    forbidden: true,
    'not-found': true,
    'rate-limited': true,
    overloaded: true,
    unreachable: true,
    'no-number': true,
    implausible: true,
    closed: true,
  };
  for (const reason of Object.keys(reasons)) expect(page).toContain(`| \`${reason}\` |`);
});
