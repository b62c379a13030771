import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readTable } from '../support/markdown-table.js';

test('docs/errors.md has a row for every code', () => {
  const source = readFileSync(new URL('../../src/errors.ts', import.meta.url), 'utf8');
  const union = /InstructionsErrorCode =(.*?);/s.exec(source)?.[1] ?? '';
  const codes = [...union.matchAll(/'([A-Z_]+)'/g)].map(([, code]) => `\`${code}\``);
  expect(codes.length).toBeGreaterThan(5);
  expect(readTable('docs/errors.md', 'code').map(([code]) => code)).toEqual(codes);
});
