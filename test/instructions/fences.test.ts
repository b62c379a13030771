import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { closeOpenFence, FenceScanner, openFenceOf, shortenFences } from '../../src/instructions/fences.js';
import { endsInsideFence } from './oracle.js';

const ticks = (count: number): string => '`'.repeat(count);

describe('the scanner', () => {
  test('says of each line whether it is in a fence or is one', () => {
    const scanner = new FenceScanner();
    const seen = ['# a', '```js', '# b', '~~~', '```', '# c'].map((line) => [line, scanner.next(line)]);
    expect(seen).toEqual([
      ['# a', false],
      ['```js', true],
      ['# b', true],
      ['~~~', true],
      ['```', true],
      ['# c', false],
    ]);
  });

  test('gives the run that would close the open fence', () => {
    const scanner = new FenceScanner();
    expect(scanner.open).toBeUndefined();
    scanner.next('   ~~~~ text');
    expect(scanner.open).toBe('~~~~');
    scanner.next('~~~');
    expect(scanner.open).toBe('~~~~');
    scanner.next('  ~~~~~  ');
    expect(scanner.open).toBeUndefined();
  });

  test.each([
    ['two backticks', '``', undefined],
    ['four spaces', '    ```', undefined],
    ['a tab', '\t```', undefined],
    ['a backtick in what follows', '``` a`b', undefined],
    ['a tilde fence with a backtick in what follows', '~~~ a`b', '~~~'],
    ['text before', 'a ```', undefined],
    ['a quote', '> ```', undefined],
    ['a list', '- ```', undefined],
    ['three spaces', '   ```', '   ```'],
    ['an information string', '```js {1}', '```'],
  ])('opening: %s', (_, line, open) => {
    expect(openFenceOf(line)).toBe(open);
  });

  test.each([
    ['shorter', '```', true],
    ['the other kind', '~~~~', true],
    ['with text', '```` js', true],
    ['four spaces before', '    ````', true],
    ['the same', '````', false],
    ['longer', '``````', false],
    ['spaces around', '   ```` \t', false],
  ])('closing ````: %s', (_, line, stillOpen) => {
    expect(openFenceOf(`\`\`\`\`\ncode\n${line}`) !== undefined).toBe(stillOpen);
  });
});

describe('closing', () => {
  test.each([
    ['text', 'text'],
    ['```\ncode', '```\ncode\n```'],
    ['```', '```\n```'],
    ['```\n', '```\n\n```'],
    ['~~~~~\n```', '~~~~~\n```\n~~~~~'],
    ['```\ncode\n```', '```\ncode\n```'],
    ['- item\n  ```\n  code', '- item\n  ```\n  code\n  ```'],
    ['   ~~~~\n~~~', '   ~~~~\n~~~\n   ~~~~'],
    ['```\na\n```… [truncated]', '```\na\n```… [truncated]\n```'],
  ])('%j', (text, closed) => {
    expect(closeOpenFence(text)).toBe(closed);
    expect(closeOpenFence(closed)).toBe(closed);
  });
});

describe('shortening', () => {
  test.each([
    ['runs of up to eight stay', `${ticks(8)}\na\n${ticks(8)}`, `${ticks(8)}\na\n${ticks(8)}`, 0],
    ['both ends', `${ticks(20)}js\na\n${ticks(20)}`, `${ticks(8)}js\na\n${ticks(8)}`, 2],
    ['the indentation stays, and counts', `  ${'~'.repeat(9)}`, `  ${'~'.repeat(6)}`, 1],
    ['an indented run of few stays', `   ${ticks(5)}\na`, `   ${ticks(5)}\na`, 0],
    [
      'what did not close a long indented fence does not close the short one',
      `   ${ticks(8)}\n${ticks(7)}\n${ticks(8)}\nend`,
      `   ${ticks(5)}\n${ticks(4)}\n${ticks(5)}\nend`,
      3,
    ],
    [
      'what did not close a long fence does not close the short one',
      `${ticks(12)}\n${ticks(10)}\n${ticks(8)}\n${ticks(12)}\nend`,
      `${ticks(8)}\n${ticks(7)}\n${ticks(7)}\n${ticks(8)}\nend`,
      4,
    ],
    [
      'a long run closing a short fence stays',
      `${ticks(3)}\na\n${ticks(30)}`,
      `${ticks(3)}\na\n${ticks(30)}`,
      0,
    ],
    ['the other kind inside stays', `${ticks(9)}\n${'~'.repeat(20)}`, `${ticks(8)}\n${'~'.repeat(20)}`, 1],
    ['a code span at the start of a line', `${ticks(9)} a\`b`, `${ticks(8)} a\`b`, 1],
    ['a run within a line stays', `a ${ticks(30)}`, `a ${ticks(30)}`, 0],
  ])('%s', (_, text, expected, count) => {
    expect(shortenFences(text)).toEqual({ text: expected, count });
    expect(shortenFences(expected)).toEqual({ text: expected, count: 0 });
  });

  const line = fc
    .tuple(
      fc.constantFrom('', ' ', '   ', '    '),
      fc.constantFrom('`', '~', '#'),
      fc.nat(14),
      fc.constantFrom('', ' ', 'js', ' a`b'),
    )
    .map(([indent, mark, count, rest]) => indent + mark.repeat(count) + rest);
  const text = fc.array(line, { maxLength: 12 }).map((lines) => lines.join('\n'));

  test('keeps which lines are in a fence, and closing then costs nine units at most', () => {
    const insideOf = (input: string): boolean[] => {
      const scanner = new FenceScanner();
      return input.split('\n').map((one) => scanner.next(one));
    };
    fc.assert(
      fc.property(text, (input) => {
        const short = shortenFences(input).text;
        expect(insideOf(short)).toEqual(insideOf(input));
        expect(shortenFences(short)).toEqual({ text: short, count: 0 });
        for (let cut = 0; cut <= short.length; cut += 1) {
          const closed = closeOpenFence(short.slice(0, cut));
          expect(closed.length - cut).toBeLessThanOrEqual(9);
          expect(endsInsideFence(closed)).toBe(false);
          expect(closeOpenFence(closed)).toBe(closed);
        }
      }),
      { numRuns: 500 },
    );
  });
});
