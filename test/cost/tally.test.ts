import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Count, CountMethod, Figure } from '../../src/cost/count.js';
import { tally, type TallyBlock } from '../../src/cost/tally.js';

const methods = new Map<string, CountMethod>([
  ['r', 'rough'],
  ['c', 'calibrated'],
  ['x', 'counted'],
]);

/** Counts are written into the texts: `7` is 7 tokens, estimated; `7r` rough, `7c` calibrated, `7x` counted. */
function count(text: string): Count {
  return { tokens: Number.parseInt(text, 10), method: methods.get(text.slice(-1)) ?? 'estimated' };
}

function block(added: boolean, text: string, sections: Record<string, string> = {}): TallyBlock {
  return {
    text,
    key: text,
    added,
    sections: Object.entries(sections).map(([id, part]) => ({ id, text: part, key: part })),
  };
}

describe('tally', () => {
  it('is all zero, and exact, without blocks', () => {
    expect(tally([], count)).toEqual({
      added: 0,
      carried: 0,
      wrapper: 0,
      total: 0,
      method: 'counted',
      low: 0,
      high: 0,
      calibration: null,
      notCounted: null,
      servers: new Map(),
    });
  });

  it('keeps new and carried blocks apart and adds a server up over blocks', () => {
    const result = tally([block(false, '100', { a: '30', b: '50' }), block(true, '40', { a: '25' })], count);
    expect(result).toEqual({
      added: 40,
      carried: 100,
      wrapper: 35,
      total: 140,
      method: 'estimated',
      low: 140,
      high: 140,
      calibration: null,
      notCounted: null,
      servers: new Map([
        ['a', 55],
        ['b', 50],
      ]),
    });
  });

  it('takes an excess of the parts off the largest', () => {
    const result = tally([block(true, '10', { a: '4', b: '9' })], count);
    expect(result.wrapper).toBe(0);
    expect(result.servers).toEqual(
      new Map([
        ['a', 4],
        ['b', 6],
      ]),
    );
  });

  it.each([
    ['10x', '5', 'estimated'],
    ['10x', '5c', 'calibrated'],
    ['10', '5r', 'rough'],
    ['10r', '5x', 'rough'],
    ['10x', '5x', 'counted'],
  ])('claims the weakest method: %s with %s is %s', (whole, part, method) => {
    expect(tally([block(true, whole, { a: part })], count).method).toBe(method);
  });

  it('adds up bands, and says which calibration and why not counted', () => {
    const figure = (tokens: number, rest: Partial<Figure> = {}): Figure => ({
      tokens,
      method: 'calibrated',
      low: tokens - 3,
      high: tokens + 5,
      calibration: 'claude-5/2026-11',
      ...rest,
    });
    const counted = figure(50, { method: 'counted', low: 50, high: 50, calibration: null, estimated: 40 });
    const result = tally([block(false, 'exact'), block(true, 'estimate')], (text) =>
      text === 'exact' ? counted : figure(30, { notCounted: 'rate-limited' }),
    );
    expect(result).toMatchObject({
      total: 80,
      low: 77,
      high: 85,
      method: 'calibrated',
      calibration: 'claude-5/2026-11',
      notCounted: 'rate-limited',
    });
  });

  it('scales the shares of a block that was counted exactly', () => {
    const result = tally([block(true, 'whole', { a: 'a', b: 'b' })], (text) =>
      text === 'whole'
        ? { tokens: 120, method: 'counted', low: 120, high: 120, calibration: null, estimated: 100 }
        : { tokens: text === 'a' ? 50 : 30, method: 'calibrated' },
    );
    expect(result).toMatchObject({ total: 120, method: 'counted', wrapper: 24 });
    expect(result.servers).toEqual(
      new Map([
        ['a', 60],
        ['b', 36],
      ]),
    );
  });

  it('always adds up', () => {
    const figure = fc.nat({ max: 50 }).map(String);
    const blocks = fc.array(
      fc.record({
        text: figure,
        key: fc.constant(''),
        added: fc.boolean(),
        sections: fc.array(
          fc.record({ id: fc.constantFrom('a', 'b', 'c'), text: figure, key: fc.constant('') }),
          { maxLength: 5 },
        ),
      }),
      { maxLength: 6 },
    );
    fc.assert(
      fc.property(blocks, (input) => {
        const result = tally(input, count);
        const shared = [...result.servers.values()];
        expect(result.total).toBe(result.added + result.carried);
        expect(shared.reduce((sum, tokens) => sum + tokens, result.wrapper)).toBe(result.total);
        expect(Math.min(result.wrapper, ...shared)).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});
