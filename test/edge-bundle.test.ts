import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { build, type BuildOptions, type OutputFile } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const run = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url));

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'edge-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** As the bundlers of edge runtimes do it: their conditions, and the map of files that are for Node alone. */
const EDGE: BuildOptions = { platform: 'browser', conditions: ['workerd', 'worker', 'browser'] };
/** With nothing known of any runtime. */
const NEUTRAL: BuildOptions = { platform: 'neutral' };

/** Bundles a program. What is named and cannot be found, such as a module of Node's, is an error. */
async function bundle(contents: string, options: BuildOptions): Promise<readonly OutputFile[]> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: root },
    bundle: true,
    splitting: true,
    write: false,
    format: 'esm',
    logLevel: 'silent',
    outdir: folder,
    ...options,
  });
  return outputFiles ?? [];
}

/** The modules that a bundle still imports from elsewhere. */
function foreignImports(files: readonly OutputFile[]): string[] {
  const imports = files.flatMap(({ text }) => [
    ...text.matchAll(/(?:\bfrom|\bimport|\bimport\(|\brequire\()\s*["']([^"'.][^"']*)["']/g),
  ]);
  return imports.map(([, name = '']) => name).filter((name) => /^(node:)?[a-z_]+(\/[a-z]+)*$/.test(name));
}

test.each(['anthropic', 'ai-sdk', 'openai'])(
  '%s bundles for any runtime, in one small file',
  async (entry) => {
    const files = await bundle(`export * from 'mcp-instructions/${entry}'`, NEUTRAL);
    expect(files).toHaveLength(1);
    expect(files[0]!.contents.length).toBeLessThan(60_000);
    expect(foreignImports(files)).toEqual([]);
  },
);

test.each(['', '/testing'])('mcp-instructions%s bundles for an edge runtime', async (entry) => {
  const files = await bundle(`export * from 'mcp-instructions${entry}'`, EDGE);
  expect(foreignImports(files)).toEqual([]);
});

describe('the bundle', () => {
  test('runs where there is no module of Node’s: a request is prepared, a server that needs processes fails alone', async () => {
    const files = await bundle(
      `import { createInjector } from 'mcp-instructions';
       import { prepareChat } from 'mcp-instructions/openai';
       const silent = () => {};
       const logger = { debug: silent, info: silent, warn: silent, error: silent };
       const injector = createInjector({ servers: { local: { command: 'node' } }, logger });
       await injector.ready({ waitMs: 10_000 });
       injector.adopt('docs', { instructions: 'Docs.' });
       const conversation = injector.conversation('chat');
       const request = { model: 'gpt-5', messages: [{ role: 'user', content: 'hello' }] };
       const { report } = await prepareChat(conversation, request);
       const { state } = injector.connections.status('local').state;
       await injector.close();
       console.log(JSON.stringify({ placed: report.placed, state }));`,
      EDGE,
    );
    for (const { path, contents } of files) await writeFile(path, contents);
    const hooks = `export const resolve = (specifier, context, next) => {
      if (/^node:/.test(specifier)) throw new Error('not here: ' + specifier);
      return next(specifier, context);
    };`;
    const register = `import { register } from 'node:module';
      register('data:text/javascript,' + encodeURIComponent(${JSON.stringify(hooks)}));`;
    await writeFile(join(folder, 'hooks.mjs'), register);
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
    const args = ['--import', './hooks.mjs', 'stdin.js'];
    const { stdout } = await run(process.execPath, args, { cwd: folder });
    expect(JSON.parse(stdout)).toMatchObject({ placed: true, state: expect.not.stringMatching('connected') });
  });
});

test('every file that is for Node alone is there', async () => {
  const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
    readonly browser: Readonly<Record<string, false>>;
  };
  const files = Object.keys(manifest.browser);
  expect(files.length).toBeGreaterThan(0);
  for (const file of files) expect(await readFile(join(root, file), 'utf8')).toContain('import');
});

test('an import of Node’s would be noticed', async () => {
  await expect(bundle(`import 'node:fs'`, NEUTRAL)).rejects.toThrow('node:fs');
  const [file] = await bundle(`import 'node:fs'; import('fs/promises')`, { ...NEUTRAL, external: ['*'] });
  expect(foreignImports([file!])).toEqual(['node:fs', 'fs/promises']);
});
