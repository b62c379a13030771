import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');
const page = ['conversations', 'performance'].map((name) => read(`../docs/${name}.md`)).join('\n');
const quoted = [...page.matchAll(/"([a-z][^"\n]{7,})"/g)].map(([, title]) => title!);
const sources = ['conversation', 'e2e']
  .flatMap((folder) =>
    readdirSync(new URL(`${folder}/`, import.meta.url))
      .filter((name) => name.endsWith('.test.ts'))
      .map((name) => read(`${folder}/${name}`)),
  )
  .join('\n');

test('every claim names a test that is there', () => {
  expect(quoted.length).toBeGreaterThan(30);
  expect(quoted.filter((title) => !sources.includes(title))).toEqual([]);
});

test('every file that it names is there', () => {
  const files = [...page.matchAll(/\]\((\.\.\/test\/[^)]+)\)/g)].map(([, path]) =>
    path!.replace('../test', '.'),
  );
  expect(files.length).toBeGreaterThan(8);
  expect(files.filter((path) => !existsSync(new URL(path, import.meta.url)))).toEqual([]);
});
