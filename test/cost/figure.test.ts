import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { calibrations } from '../../src/cost/calibration-data.js';
import { columns } from '../../src/cost/design-row.js';
import { importEncoding } from '../../src/cost/encoding.js';
import type { Figure } from '../../src/cost/count.js';
import { figureOf, roughFigure } from '../../src/cost/figure.js';
import type { ModelFamily } from '../../src/cost/model-family.js';
import { O200k } from '../../src/cost/o200k.js';
import { runAtOnce } from '../../src/cost/pause.js';
import { profileInSteps } from '../../src/cost/profile.js';

const o200k = runAtOnce(O200k.build(await importEncoding()));

function figure(text: string, family: ModelFamily): Figure {
  return figureOf(runAtOnce(profileInSteps(o200k, text)), family);
}

const english = 'Use lookup_part when the user names a part number or asks about stock. '.repeat(10);

describe('figure', () => {
  it('is the encoding itself for models that use it', () => {
    expect(figure(english, 'o200k')).toEqual({
      tokens: o200k.count(english),
      method: 'counted',
      low: o200k.count(english),
      high: o200k.count(english),
      calibration: null,
    });
  });

  it('is corrected for a family, and more so for the newer one', () => {
    const older = figure(english, 'claude-3');
    const newer = figure(english, 'claude-5');
    expect(older).toMatchObject({ method: 'calibrated', calibration: calibrations['claude-3'].name });
    expect(newer).toMatchObject({ method: 'calibrated', calibration: calibrations['claude-5'].name });
    expect(newer.tokens).toBeGreaterThan(older.tokens * 1.2);
    expect(older.tokens).toBeGreaterThan(o200k.count(english));
  });

  it('is the encoding, called an estimate with a wide band, for an unknown model', () => {
    const { tokens, method, low, high, calibration } = figure(english, 'unknown');
    expect({ tokens, method, calibration }).toEqual({
      tokens: o200k.count(english),
      method: 'estimated',
      calibration: null,
    });
    expect(low).toBeLessThan(tokens * 0.8);
    expect(high).toBeGreaterThan(tokens * 2);
  });

  it('has a band of at most 15 % to either side for plain English', () => {
    const { tokens, low, high } = figure(english, 'claude-5');
    expect((high - low) / 2 / tokens).toBeLessThan(0.15);
  });

  it.each([
    ['one letter', 'a'.repeat(2_048), 2_048],
    ['spaces', ' '.repeat(2_048), 128],
    ['emoji', '😀'.repeat(1_024), 8_192],
  ])('has a band up to eight times the encoding for a run of %s', (_name, text, high) => {
    expect(figure(text, 'claude-5').high).toBeGreaterThanOrEqual(high);
  });

  it('is nothing for nothing', () => {
    for (const family of ['claude-3', 'claude-5', 'o200k', 'unknown'] as const) {
      expect(figure('', family)).toMatchObject({ tokens: 0, low: 0, high: 0 });
    }
    expect(roughFigure(0, 'block')).toMatchObject({ tokens: 0, low: 0, high: 0 });
  });

  it('lies in its band, whole and not negative, whatever the text', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 300 }),
        fc.constantFrom<ModelFamily>('claude-3', 'claude-5', 'unknown'),
        (text, family) => {
          const bytes = new TextEncoder().encode(text).length;
          for (const { tokens, low, high } of [figure(text, family), roughFigure(bytes, 'block')]) {
            expect([tokens, low, high].every((value) => Number.isSafeInteger(value) && value >= 0)).toBe(
              true,
            );
            expect(low).toBeLessThanOrEqual(tokens);
            expect(tokens).toBeLessThanOrEqual(high);
            expect(high).toBeLessThanOrEqual(Math.ceil(bytes * 2.5));
          }
        },
      ),
    );
  });
});

describe('calibration data', () => {
  it.each(Object.entries(calibrations))(
    '%s weighs known columns, and records how good it is',
    (family, data) => {
      expect(data.name.startsWith(`${family}/`)).toBe(true);
      for (const [name, weight] of Object.entries(data.weights)) {
        expect(columns).toContain(name);
        expect(weight).toBeGreaterThan(0);
      }
      const { heldOut } = data;
      for (const kind of ['English prose', 'English technical', 'code']) {
        expect(heldOut[kind]!.p50).toBeLessThanOrEqual(4);
        expect(heldOut[kind]!.p90).toBeLessThanOrEqual(9);
        expect(heldOut[kind]!.halfWidth).toBeLessThanOrEqual(15);
      }
      for (const kind of ['Japanese', 'Chinese', 'Korean']) {
        expect(heldOut[kind]!.p50).toBeLessThanOrEqual(5);
        expect(heldOut[kind]!.p90).toBeLessThanOrEqual(10);
        expect(heldOut[kind]!.halfWidth).toBeLessThanOrEqual(15);
      }
      for (const errors of Object.values(heldOut)) {
        expect(errors.inBand).toBeGreaterThanOrEqual(90);
        expect(errors.halfWidth).toBeLessThanOrEqual(30);
      }
    },
  );
});
