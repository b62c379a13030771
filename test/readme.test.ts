import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { startMessagesEndpoint, type MessagesEndpoint } from '../src/cli/demo/messages-endpoint.js';
import { fillBlocks, markedBlocks, regionOf, type MarkedBlock } from './support/marked-blocks.js';
import { examples, runNode, startExampleServer, type ExampleServer } from './support/run-example.js';

const root = fileURLToPath(new URL('../', import.meta.url));
const pages = ['README.md', ...readdirSync(join(root, 'docs')).map((name) => `docs/${name}`)].filter((name) =>
  name.endsWith('.md'),
);
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

let tickets: ExampleServer;
let endpoint: MessagesEndpoint;

beforeAll(async () => {
  tickets = await startExampleServer('tickets-server.mjs');
  endpoint = await startMessagesEndpoint({ answer: () => 'Rotate it before then. Shall I look up how?' });
});
afterAll(async () => {
  await tickets.stop();
  await endpoint.close();
});

async function contentOf({ kind, of }: MarkedBlock): Promise<string> {
  if (kind === 'example') {
    const [file = '', region] = of.split('#');
    return region === undefined ? read(file) : regionOf(read(file), region);
  }
  const [command = '', ...args] = of.split(' ');
  const script = command === 'mcp-instructions' ? join(root, 'dist/cli/main.js') : command;
  const { code, out, errors } = await runNode(examples, [script, ...args], {
    ANTHROPIC_BASE_URL: endpoint.url,
    ANTHROPIC_API_KEY: 'none',
    TICKETS_URL: tickets.url,
  });
  if (code !== 0) throw new Error(`${of} ended with ${code}: ${errors}`);
  return out;
}

describe.for(pages)('%s', (page) => {
  // Where this fails after a change on purpose: `npx vitest run test/readme.test.ts -u` writes the page anew.
  test('shows the examples as they are and what they print', async () => {
    await expect(await fillBlocks(read(page), contentOf)).toMatchFileSnapshot(join(root, page));
  });

  test('links to files that are there', () => {
    const targets = [...read(page).matchAll(/\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)/g)].map(
      ([, target]) => target!,
    );
    const missing = targets.filter(
      (target) => !existsSync(join(root, normalize(join(dirname(page), target)))),
    );
    expect(missing).toEqual([]);
  });
});

test('no code of the README is there without an example that runs', () => {
  const readme = read('README.md');
  const shown = readme.match(/^```(?:js|ts|mjs)$/gm) ?? [];
  const marked = markedBlocks(readme).filter(({ kind }) => kind === 'example');
  expect(marked.length).toBeGreaterThan(0);
  expect(shown).toHaveLength(marked.length);
});

test('the README names every command of the demo and the tests', () => {
  const { scripts }: { scripts: Record<string, string> } = JSON.parse(read('package.json'));
  for (const [, name] of read('README.md').matchAll(/npm run ([a-z:]+)/g))
    expect(scripts).toHaveProperty([name!]);
  expect(scripts).toHaveProperty('test');
});

test('a region ends where it says, and a page is filled block by block', async () => {
  const source = 'a\n// #region x\nb\n\nc\n// #endregion\nd\n';
  expect(regionOf(source, 'x')).toBe('b\n\nc\n');
  expect(() => regionOf(source, 'y')).toThrow('expected a region y');
  const page =
    '<!-- example: f -->\n```js\nold\n```\n\n```js\nother\n```\n<!-- output: o -->\n```text\n```\n';
  const filled = await fillBlocks(page, async ({ kind, of }) => `${kind} ${of} $&\n`);
  expect(filled).toBe(
    '<!-- example: f -->\n```js\nexample f $&\n```\n\n```js\nother\n```\n<!-- output: o -->\n```text\noutput o $&\n```\n',
  );
});
