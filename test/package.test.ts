import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { beforeAll, describe, expect, test } from 'vitest';

import * as aiSdk from '../src/adapters/ai-sdk.js';
import * as anthropic from '../src/adapters/anthropic.js';
import * as openai from '../src/adapters/openai.js';
import * as root from '../src/index.js';
import * as testing from '../src/testing.js';

const run = promisify(execFile);
const folder = fileURLToPath(new URL('..', import.meta.url));

interface Manifest {
  readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>;
  readonly bin: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional?: boolean }>>;
}

const readJson = (path: string): unknown => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));
const manifest = readJson('../package.json') as Manifest;

/** Runs a program of one module in the package's folder, where its own name leads to what was built. */
async function evaluate(program: string): Promise<unknown> {
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program], { cwd: folder });
  return JSON.parse(stdout);
}

describe('the tarball', () => {
  let files: string[] = [];

  beforeAll(async () => {
    const { stdout } = await run('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: folder });
    const packed = JSON.parse(stdout) as unknown;
    // An array of tarballs; from npm 11 on an object by package name is possible too.
    const [tarball] = Object.values(packed as object) as { files: { path: string }[] }[];
    files = tarball?.files.map(({ path }) => path) ?? [];
  });

  test('holds what was built, the pages, and nothing else', () => {
    const others = files.filter(
      (path) => !/^dist\/.+\.(js|d\.ts)$/.test(path) && !/^docs\/[^/]+\.md$/.test(path),
    );
    expect(others.sort()).toEqual(['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json']);
    expect(files.filter((path) => path.startsWith('docs/')).length).toBeGreaterThan(2);
  });

  test('holds a declaration for every module, and every module of the sources', () => {
    const modules = files.filter((path) => path.endsWith('.js'));
    expect(modules.length).toBeGreaterThan(100);
    expect(modules.filter((path) => !files.includes(path.replace(/\.js$/, '.d.ts')))).toEqual([]);
  });

  test('holds everything that the manifest points at', () => {
    const targets = [
      ...Object.values(manifest.exports).flatMap((target) =>
        typeof target === 'string' ? [target] : [target.types, target.default],
      ),
      ...Object.values(manifest.bin),
    ].map((path) => path.replace(/^\.\//, ''));
    expect(targets.length).toBeGreaterThan(4);
    expect(targets.filter((path) => !files.includes(path))).toEqual([]);
  });
});

describe('what was built', () => {
  test('gives each entry its names', async () => {
    const entries = Object.keys(manifest.exports).filter((entry) => !entry.endsWith('.json'));
    const names = await evaluate(`
      const names = {};
      for (const entry of ${JSON.stringify(entries)}) {
        names[entry] = Object.keys(await import('mcp-instructions' + entry.slice(1)));
      }
      console.log(JSON.stringify(names));`);
    expect(names).toEqual({
      '.': Object.keys(root).sort(),
      './anthropic': Object.keys(anthropic).sort(),
      './ai-sdk': Object.keys(aiSdk).sort(),
      './openai': Object.keys(openai).sort(),
      './testing': Object.keys(testing).sort(),
    });
  });

  test('shows hosts no member that is for the library itself', () => {
    const types = readFileSync(new URL('../dist/injector/conversation.d.ts', import.meta.url), 'utf8');
    expect(types).toContain('prepare<');
    expect(types).not.toContain('prepareCall');
  });

  // As on an edge runtime: there is nothing of Node, and whatever else is named comes on demand.
  test('loads where only its hash package can be had', async () => {
    const outcome = await evaluate(`
      import { register } from 'node:module';
      const hooks = \`
        const allowed = /^(mcp-instructions|@noble[/]hashes)([/]|$)|^[.]/;
        export const resolve = (specifier, context, next) => {
          if (!allowed.test(specifier)) throw new Error('not here: ' + specifier);
          return next(specifier, context);
        };\`;
      register('data:text/javascript,' + encodeURIComponent(hooks));
      const { admit, createInjector } = await import('mcp-instructions');
      for (const entry of ['anthropic', 'ai-sdk', 'openai', 'testing']) await import('mcp-instructions/' + entry);
      const refused = await import('node:fs').then(() => false, () => true);
      const injector = createInjector();
      const conversation = injector.conversation('chat');
      injector.adopt('lab', { instructions: 'Ask first.' });
      const body = { model: 'test', messages: [{ role: 'user', content: 'hi' }] };
      const { report } = await conversation.prepare(body);
      await injector.close();
      console.log(JSON.stringify({ refused, state: admit('text').state, placed: report.placed }));`);
    expect(outcome).toEqual({ refused: true, state: 'admitted', placed: true });
  });
});

describe('the manifest', () => {
  test('names every SDK that it is used with as optional', () => {
    const { peerDependencies, peerDependenciesMeta } = manifest;
    for (const name of Object.keys(peerDependencies)) {
      expect(peerDependenciesMeta[name]?.optional).toBe(true);
      expect(manifest.dependencies).not.toHaveProperty(name);
    }
  });

  test('has a lock without addresses of downloads', () => {
    const { packages } = readJson('../package-lock.json') as { packages: Record<string, object> };
    expect(Object.keys(packages).length).toBeGreaterThan(100);
    expect(Object.keys(packages).filter((path) => 'resolved' in (packages[path] ?? {}))).toEqual([]);
  });
});
