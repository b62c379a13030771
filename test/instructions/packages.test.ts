import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { neutraliseReservedTags } from '../../src/instructions/reserved-tags.js';

const root = new URL('../../node_modules', import.meta.url).pathname;

/** The Markdown files and declarations that lie at the top of each package; `bench/benign-files.mjs` reads all of them. */
function filesOfPackages(): string[] {
  const packages = readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .flatMap(({ name }) =>
      name.startsWith('@') ? readdirSync(join(root, name)).map((scoped) => join(name, scoped)) : [name],
    );
  return packages.flatMap((name) =>
    readdirSync(join(root, name))
      .filter((file) => /\.(?:md|ts)$/u.test(file))
      .map((file) => join(root, name, file)),
  );
}

describe('files of other packages', () => {
  test('come out of the reserved-tag pass as they are', () => {
    const texts = filesOfPackages().map((path) => ({ path, text: readFileSync(path, 'utf8') }));
    const benign = texts.filter(
      ({ text }) => !/system[-_ ]?reminder|mcp[-_ ]?(?:server[-_ ]?)?instructions/iu.test(text),
    );
    expect(benign.length).toBeGreaterThan(50);
    expect(
      benign.filter(({ text }) => neutraliseReservedTags(text).text !== text).map(({ path }) => path),
    ).toEqual([]);
  });
});
