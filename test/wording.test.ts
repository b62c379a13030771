import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../src/', import.meta.url));
const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));

/** The texts of a source that say what was expected. */
function expectations(source: string): string[] {
  const code = source.replaceAll(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, '');
  return code.match(/(?<=[`'])[^`'\n]*\bexpected [^\n]*/g) ?? [];
}

/** What is wrong with how one says it. */
function faultIn(text: string): string | undefined {
  if (/\bcame\b/.test(text)) return 'says "came" in place of "got"';
  if (/got (?:a |an )?\$\{(?:a )?typeof /.test(text) || /`an? \$\{typeof /.test(text))
    return 'names a type without its article';
  return undefined;
}

test('the scan finds what is planted', () => {
  const planted = (text: string) => expectations(`throw new Error(\`${text}\`)`).map(faultIn);
  expect(planted('id: expected a string, came 5')).toEqual(['says "came" in place of "got"']);
  expect(planted('id: expected a string, got ${typeof id}')).toEqual(['names a type without its article']);
  expect(planted('id: expected a string, got a ${typeof id}')).toEqual(['names a type without its article']);
  expect(planted('id: expected a string, got ${kindOf(id)}')).toEqual([undefined]);
});

test('every message says what it got in the same words', () => {
  const found = files.flatMap((file) =>
    expectations(readFileSync(root + file, 'utf8')).map((text) => ({ file, text, fault: faultIn(text) })),
  );
  expect(found.length).toBeGreaterThan(20);
  expect(found.filter(({ fault }) => fault !== undefined)).toEqual([]);
});
