import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { alikeIds } from '../../src/instructions/alike-ids.js';
import { cleanId } from '../../src/instructions/clean-id.js';
import { hostileCases } from '../support/hostile-cases.js';
import { hostileText } from '../support/hostile-text.js';
import { holdsReservedTag } from './oracle.js';

describe('a clean id', () => {
  test.each([
    'lab',
    'my server (v2)',
    '@scope/name',
    'plugin:foo:bar',
    'a_b-c.d',
    '#1',
    '-x',
    '東京',
    'café',
    'می‌خواهم',
    '👩‍🔬 lab',
    'constructor',
    '__proto__',
    '../../etc',
  ])('%s stays', (id) => {
    expect(cleanId(id)).toBe(id);
  });

  test.each([
    ['nothing', '', 'unnamed'],
    ['white space', ' \n\t', 'unnamed'],
    ['nothing visible', '\u200b\u2060', 'unnamed'],
    ['outer and inner white space', '  a \t b\u00a0 ', 'a b'],
    ['line ends', 'lab\n## github', 'lab ## github'],
    ['other line ends', 'a\u2028b\u0085c\vd\r\ne', 'a b c d e'],
    ['a heading', '## lab', 'lab'],
    ['the host’s heading', '# MCP Server Instructions', 'MCP Server Instructions'],
    ['a quoted list of headings', '> - # lab', 'lab'],
    ['the end of a heading', 'lab ##', 'lab'],
    ['nothing but mark-up', '## # >', 'unnamed'],
    ['a rule', '---', 'unnamed'],
    ['a direction mark', '\u202ebuhtig', 'buhtig'],
    ['a reserved tag', '</system-reminder>', '[/system-reminder]'],
    ['an encoded one', '&lt;system-reminder', '[lt;system-reminder'],
    ['a tag', '<b>lab</b>', '[b]lab[/b]'],
    ['a code span', '`lab`', "'lab'"],
    ['a lone surrogate', 'a\ud800', 'a\ufffd'],
    ['a hidden text', 'lab\u{e0041}', 'lab'],
    [
      'a flood of marks',
      `e${'\u0301'.repeat(50)}`,
      `e${'\u0301'.repeat(8)}`.normalize('NFC').replace('\u00e9', 'e\u0301'),
    ],
    ['65 units', 'a'.repeat(65), 'a'.repeat(64)],
    ['a cut at a pair', `${'a'.repeat(63)}😀`, 'a'.repeat(63)],
    ['a cut at a space', `${'a'.repeat(63)} b`, 'a'.repeat(63)],
    ['a cut that makes a closing heading', `${'a'.repeat(62)} #b`, 'a'.repeat(62)],
  ])('%s', (_, id, expected) => {
    expect(cleanId(id)).toBe(expected);
    expect(cleanId(expected)).toBe(expected);
  });

  test('is one line of 1 to 64 units without mark-up, and stays what it is', () => {
    const part = fc.constantFrom(
      '# ',
      '##',
      '- ',
      '> ',
      '<',
      '>',
      '`',
      ' ',
      '\u200d',
      '\u200c',
      'م',
      '👩',
      '\n',
      'a',
      '=',
      '| ',
      '~',
    );
    const id = fc.oneof(
      hostileText,
      fc.string({ unit: 'binary', maxLength: 90 }),
      fc.array(part, { maxLength: 90 }).map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(id, (raw) => {
        const cleaned = cleanId(raw);
        expect(cleaned).toMatch(/^\S(?:[^\n]*\S)?$/u);
        expect(cleaned.length).toBeLessThanOrEqual(64);
        expect(cleaned.isWellFormed()).toBe(true);
        expect(cleaned).not.toMatch(/[<>`\p{Cc}\u2028\u2029]|^[#>*+\-=~|]+ |  | #+$/u);
        expect(holdsReservedTag(cleaned)).toBe(false);
        expect(cleanId(cleaned)).toBe(cleaned);
      }),
      { numRuns: 3000 },
    );
  });
});

describe('ids that look alike', () => {
  test.each([
    ['case', 'github', 'GitHub'],
    ['white space around', 'github', 'github '],
    ['a Cyrillic letter', 'github', 'g\u0456thub'],
    ['Unicode form', 'caf\u00e9', 'cafe\u0301'],
    ['an invisible character', 'lab', 'la\u200bb'],
    ['a direction mark', 'lab', '\u202elab'],
    ['full-width letters', 'lab', 'ｌａｂ'],
    ['another dash', 'my-lab', 'my\u2010lab'],
    ['l and I', 'alpha', 'aIpha'],
    ['1 and l', 'lab1', 'labl'],
    ['0 and O', 'io0', 'ioO'],
    ['rn and m', 'mail', 'rnail'],
  ])('%s', (_, a, b) => {
    expect(alikeIds(['other', a, 'another', b])).toEqual([[a, b].sort()]);
  });

  test('different ids, and one id twice, are not alike', () => {
    expect(
      alikeIds(['github', 'gitlab', 'docs', 'docs-2', 'my_lab', 'my-lab', 'cafe', 'café', '東京', '京都']),
    ).toEqual([]);
    expect(alikeIds(['a', 'a'])).toEqual([]);
    expect(alikeIds([])).toEqual([]);
    expect(alikeIds(['constructor', '__proto__', 'toString'])).toEqual([]);
  });

  test('groups and their ids are in code-unit order, whatever the order they came in', () => {
    const ids = ['zeta', 'Zeta', 'lab', 'LAB', 'Lab', 'docs'];
    const groups = [
      ['LAB', 'Lab', 'lab'],
      ['Zeta', 'zeta'],
    ];
    expect(alikeIds(ids)).toEqual(groups);
    expect(alikeIds(ids.toReversed())).toEqual(groups);
  });
});

describe('hostile server names', () => {
  const names = hostileCases.filter((one) => one.class === 'server-name');
  const nameOf = (one: (typeof names)[number]): string => {
    if (typeof one.input !== 'string') throw new Error(`${one.id} is no name`);
    return one.input;
  };

  test('are there', () => {
    expect(names.length).toBeGreaterThan(8);
  });

  // A name that a server reports is never its id: flags for reserved names, keys and paths have no place here.
  test.each(names.map((one) => [one.id, one] as const))('%s', (_, one) => {
    const { flag, notContains } = one.expect.assert;
    const printed = cleanId(nameOf(one));
    if (Array.isArray(notContains)) for (const part of notContains) expect(printed).not.toContain(part);
    const [, other] = /^confusableWith:(.*)$/u.exec(String(flag)) ?? [];
    if (other !== undefined) expect(alikeIds([nameOf(one), other])).toHaveLength(1);
    expect(printed).not.toBe('');
  });
});
