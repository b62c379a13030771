import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diff, isEmptyDelta, type InForce } from '../../src/conversation/diff.js';
import { hear, type Told, type ToldServer } from '../../src/conversation/told.js';
import type { Delta } from '../../src/render/delta.js';

const text = (hash: string): { text: string; hash: string } => ({ text: `text of ${hash}`, hash });
const NONE: Delta = { added: [], changed: [], restored: [], removed: [] };
const SECTION = { id: 's', text: 'text of h' };

describe('the delta algebra', () => {
  const told = (last: string | undefined, inForce: boolean): Told => new Map([['s', { last, inForce }]]);
  const table: readonly (readonly [string, Told, InForce, Partial<Delta>])[] = [
    ['nothing told, a text', new Map(), new Map([['s', text('h')]]), { added: [SECTION] }],
    ['told, the same text', told('h', true), new Map([['s', text('h')]]), {}],
    ['told, another text', told('g', true), new Map([['s', text('h')]]), { changed: [SECTION] }],
    ['told, nothing in force', told('h', true), new Map(), { removed: ['s'] }],
    ['withdrawn, the same text', told('h', false), new Map([['s', text('h')]]), { restored: ['s'] }],
    ['withdrawn, another text', told('g', false), new Map([['s', text('h')]]), { changed: [SECTION] }],
    [
      'withdrawn, its section not there',
      told(undefined, false),
      new Map([['s', text('h')]]),
      { added: [SECTION] },
    ],
    [
      'restored, its section not there',
      told(undefined, true),
      new Map([['s', text('h')]]),
      { added: [SECTION] },
    ],
    ['withdrawn, nothing in force', told('h', false), new Map(), {}],
    ['told, not known', told('h', true), new Map([['s', 'hold']]), {}],
    ['withdrawn, not known', told('h', false), new Map([['s', 'hold']]), {}],
    ['nothing told, not known', new Map(), new Map([['s', 'hold']]), {}],
  ];

  it.each(table)('%s', (_, before, now, expected) => {
    expect(diff(before, now)).toEqual({ ...NONE, ...expected });
  });
});

const hash = fc.constantFrom('g', 'h', 'i');
const ids = fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor');
const toldServer: fc.Arbitrary<ToldServer> = fc.record({
  last: fc.option(hash, { nil: undefined }),
  inForce: fc.boolean(),
});
const pairs = <Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<Map<string, Value>> =>
  fc.array(fc.tuple(ids, value)).map((list) => new Map(list));
const forced = pairs(fc.oneof(hash.map(text), fc.constant('hold' as const)));

describe('a delta that was heard', () => {
  it('leaves nothing to say', () => {
    fc.assert(
      fc.property(pairs(toldServer), forced, (told: Told, inForce: InForce) => {
        const delta = diff(told, inForce);
        const hashed = (sections: Delta['added']): [string, string][] =>
          sections.map(({ id }) => {
            const now = inForce.get(id);
            return [id, typeof now === 'object' ? now.hash : ''];
          });
        hear(told, {
          added: hashed(delta.added),
          changed: hashed(delta.changed),
          restored: delta.restored,
          removed: delta.removed,
        });
        expect(isEmptyDelta(diff(told, inForce))).toBe(true);
      }),
      { numRuns: 5000 },
    );
  });
});
