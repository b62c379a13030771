import { array, assert, integer, property, record, string } from 'fast-check';
import { describe, expect, test } from 'vitest';

import { fold } from '../../src/cli/fold.js';
import { createTerminal, foldNote } from '../../src/cli/terminal.js';

const marks = { first: '  | ', again: '  |:' };
const rowsOf = (text: string, columns: number): string[] =>
  fold([{ text }], marks, columns).map((row) => row.map((part) => part.text).join(''));

/** The most that a terminal could take for it. */
function widest(row: string): number {
  let column = 4;
  for (const character of row) {
    if (character === '\t') column += 8 - (column % 8);
    else column += (character.codePointAt(0) ?? 0) < 0x80 ? 1 : 2;
  }
  return column;
}

describe('a line in rows', () => {
  test.each([
    ['', 20, ['']],
    ['short', 20, ['short']],
    ['exactly fifteen', 20, ['exactly fifteen']],
    ['exactly sixteen.', 20, ['exactly sixteen', '.']],
    ['漢字漢字漢字漢字', 20, ['漢字漢字漢字漢', '字']],
    ['1234567\t890\tx', 20, ['1234567\t890', '\tx']],
    ['e\u0301'.repeat(5), 20, ['e\u0301'.repeat(5)]],
    ['e\u0301'.repeat(6), 20, ['e\u0301'.repeat(5), 'e\u0301']],
  ])('%j at %i columns', (text, columns, rows) => {
    expect(rowsOf(text, columns)).toEqual(rows);
  });

  test('holds all of it, and no row could be longer than the terminal', () => {
    const parts = array(record({ text: string({ unit: 'grapheme' }) }), { maxLength: 6 });
    assert(
      property(parts, integer({ min: 14, max: 60 }), (line, columns) => {
        const rows = fold(line, marks, columns).map((row) => row.map(({ text }) => text).join(''));
        expect(rows.join('')).toBe(line.map(({ text }) => text).join(''));
        for (const row of rows) expect(widest(row)).toBeLessThan(columns);
      }),
      { numRuns: 500 },
    );
  });

  test('ends on a terminal that is too narrow for anything', () => {
    expect(rowsOf('漢字\tab', 1).join('')).toBe('漢字\tab');
  });

  test('a long line takes time by its length', () => {
    expect(rowsOf('漢'.repeat(500_000), 80).join('')).toHaveLength(500_000);
  });
});

describe('notes', () => {
  const noteOn = (output: object): string => {
    let notes = '';
    const stderr = { write: (text: string) => (notes += text), ...output };
    createTerminal({ write: () => {} }, stderr).note('x'.repeat(100));
    return notes;
  };

  test('go on behind a mark on a terminal, and are one line elsewhere', () => {
    expect(noteOn({})).toBe(`${'x'.repeat(100)}\n`);
    expect(noteOn({ isTTY: true, columns: 61 })).toBe(`${'x'.repeat(60)}\n: ${'x'.repeat(40)}\n`);
    expect(noteOn({ isTTY: true, columns: 0 })).toBe(`${'x'.repeat(79)}\n: ${'x'.repeat(21)}\n`);
    expect(foldNote('short', 80)).toBe('short');
  });
});
