import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TextMemory } from '../../src/conversation/text-memory.js';

/** A memory, and the texts for which something had to be made. */
function counted(maxUnits?: number): { of: (text: string) => number; made: string[] } {
  const memory = new TextMemory<number>(maxUnits);
  const made: string[] = [];
  const of = (text: string): number =>
    memory.of(text, (one) => {
      made.push(one);
      return one.length;
    });
  return { of, made };
}

describe('what is remembered of texts', () => {
  it('is made once', () => {
    const { of, made } = counted();
    for (const text of ['a', '', 'x'.repeat(20_000), 'a', '', 'x'.repeat(20_000)])
      expect(of(text)).toBe(text.length);
    expect(made).toHaveLength(3);
  });

  it('is right for any texts, long ones that differ in little included', () => {
    const long = fc
      .tuple(fc.constantFrom('x'.repeat(16_383), 'é'.repeat(16_400)), fc.nat(5))
      .map(([text, end]) => text + end);
    fc.assert(
      fc.property(fc.array(fc.oneof(long, fc.string({ maxLength: 3 })), { maxLength: 40 }), (texts) => {
        const memory = new TextMemory<string>(70_000);
        for (const text of texts) expect(memory.of(text, (one) => `of ${one}`)).toBe(`of ${text}`);
      }),
    );
  });

  it('is bounded by what the texts hold', () => {
    const { of, made } = counted(10_000);
    for (let at = 0; at < 100; at += 1) of(`${at}`.padStart(1000));
    made.length = 0;
    for (let at = 0; at < 92; at += 1) of(`${at}`.padStart(1000));
    expect(made).toHaveLength(92);
  });

  it('is bounded in number, too', () => {
    const { of, made } = counted(10_000);
    for (let at = 0; at < 100; at += 1) of(`${at}`);
    made.length = 0;
    of('0');
    expect(made).toEqual(['0']);
  });

  it('is nothing where a text takes more than half', () => {
    const { of, made } = counted(10_000);
    of('small');
    of('x'.repeat(5000));
    of('x'.repeat(5000));
    of('small');
    expect(made).toHaveLength(3);
  });

  it('stays for what is in use, whatever passes by', () => {
    const { of, made } = counted(10_000);
    for (let at = 0; at < 100; at += 1) {
      of('in use');
      of(`${at}`.padStart(1000));
    }
    expect(made.filter((text) => text === 'in use')).toHaveLength(1);
  });
});
