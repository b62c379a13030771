import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { createContext, runInContext } from 'node:vm';

import { build, type BuildOptions, type OutputFile } from 'esbuild';
import { describe, expect, onTestFinished, test } from 'vitest';

import { render } from '../src/render/render.js';
import { startSdkHttp } from './fixtures/servers/sdk-http.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const packed = `${root}dist/`;

/** As the bundlers of edge runtimes do it. */
const EDGE: BuildOptions = { platform: 'browser', conditions: ['workerd', 'worker', 'browser'] };
/** With nothing known of any runtime. */
const NEUTRAL: BuildOptions = { platform: 'neutral' };
const PLATFORMS = [
  ['neutral', NEUTRAL],
  ['edge', EDGE],
] as const;
const ENTRIES = ['', '/anthropic', '/ai-sdk', '/openai', '/testing'];

/** Bundles a program. What is named and cannot be found, such as a module of Node's, is an error. */
async function bundle(contents: string, options: BuildOptions): Promise<readonly OutputFile[]> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: root },
    bundle: true,
    splitting: true,
    write: false,
    format: 'esm',
    logLevel: 'silent',
    outdir: 'nowhere',
    // The repository's own is not packed.
    tsconfigRaw: {},
    ...options,
  });
  return outputFiles ?? [];
}

/** The modules that a bundle still imports from elsewhere. */
function foreignImports(files: readonly { readonly text: string }[]): string[] {
  const imports = files.flatMap(({ text }) => [
    ...text.matchAll(/(?:\bfrom|\bimport|\bimport\(|\brequire\()\s*["']([^"'.][^"']*)["']/g),
  ]);
  return imports
    .map(([, name = '']) => name)
    .filter((name) => /^[#@]?(node:)?[a-z_]+(\/[a-z]+)*$/.test(name));
}

describe.each(PLATFORMS)('for the platform %s', (_, platform) => {
  test.each(ENTRIES)('mcp-instructions%s bundles, and imports nothing', async (entry) => {
    const files = await bundle(`export * from 'mcp-instructions${entry}'`, platform);
    expect(foreignImports(files)).toEqual([]);
    for (const { text } of files) expect(text).not.toMatch(/["'`]node:(?!crypto["'`]\))/);
  });
});

test.each(['anthropic', 'ai-sdk', 'openai'])('%s is one small file', async (entry) => {
  const files = await bundle(`export * from 'mcp-instructions/${entry}'`, NEUTRAL);
  expect(files).toHaveLength(1);
  expect(files[0]!.contents.length).toBeLessThan(60_000);
});

/** What all edge runtimes have, and nothing of Node's; code made of strings is refused, as they do. */
function runOnEdge(code: string, given: object): { readonly result?: Promise<unknown> } {
  const names =
    `URL URLSearchParams TextEncoder TextDecoder TextDecoderStream AbortController AbortSignal Event EventTarget
    DOMException Headers Request Response fetch ReadableStream WritableStream TransformStream Blob FormData crypto performance
    setTimeout clearTimeout setInterval clearInterval queueMicrotask structuredClone atob btoa console`.split(
      /\s+/,
    );
  const globals = names.map((name) => [name, Reflect.get(globalThis, name)] as const);
  for (const [name, value] of globals) expect([name, typeof value]).not.toEqual([name, 'undefined']);
  const context = createContext(
    { ...Object.fromEntries(globals), ...given },
    {
      codeGeneration: { strings: false, wasm: false },
    },
  );
  const missing = runInContext('[typeof process, typeof Buffer, typeof require, typeof global]', context);
  expect(missing).toEqual(Array.from({ length: 4 }, () => 'undefined'));
  runInContext(code, context);
  return context;
}

const PROGRAM = `
  import { createInjector, fileStore, readConfigFile } from 'mcp-instructions';
  import { withInstructions } from 'mcp-instructions/anthropic';
  import { instructionsMiddleware } from 'mcp-instructions/ai-sdk';
  import { prepareChat, prepareResponses } from 'mcp-instructions/openai';

  globalThis.result = (async () => {
    const lines = [];
    const line = (fields, message) => void lines.push(fields.event);
    const logger = { debug: line, info: line, warn: line, error: line };
    const servers = { local: { command: 'node' }, remote: { url: globalThis.address } };
    const injector = createInjector({ servers, logger });
    await injector.ready({ waitMs: 10_000 });
    injector.adopt('docs', { instructions: 'Docs.' });
    const claude = withInstructions({ middleware: [], withOptions: (options) => options }, injector.conversation('claude'));
    const messages = [{ role: 'user', content: 'hello' }];
    const prepared = await injector.conversation('messages').prepare({ model: 'claude-opus-5-5', messages });
    await prepared.commit();
    const chat = await prepareChat(injector.conversation('chat'), { model: 'gpt-5', messages });
    const responses = await prepareResponses(injector.conversation('responses'), { model: 'gpt-5', input: 'hello' });
    const prompt = [{ role: 'user', content: [{ type: 'text', text: 'hello' }] }];
    const params = await instructionsMiddleware(injector.conversation('ai')).transformParams({
      type: 'generate', params: { prompt }, model: { modelId: 'gpt-5' },
    });
    const state = (id) => injector.connections.status(id).state;
    const found = {
      blocks: [prepared.request.messages[0].content, chat.request.messages[0].content, responses.request.input[0].content, params.prompt[0].content]
        .map((parts) => parts[0].text),
      middleware: claude.middleware.length,
      states: { local: state('local').state, remote: state('remote').state },
      reasons: { local: state('local').reason, remote: state('remote').reason },
    };
    await injector.close();
    const stored = createInjector({ logger, store: fileStore({ folder: '/tmp' }) });
    stored.adopt('docs', { instructions: 'Docs.' });
    const untouched = await stored.conversation('files').prepare({ model: 'claude-opus-5-5', messages });
    await stored.close();
    const refused = await readConfigFile('mcp.json').catch(({ code, message }) => ({ code, message }));
    return { ...found, withoutStore: untouched.report.reason, lines, refused };
  })();
`;

describe.each(PLATFORMS)('the bundle for the platform %s', (name, platform) => {
  test('runs: requests of every kind are prepared, and what needs Node fails alone', async () => {
    const [file] = await bundle(PROGRAM, { ...platform, splitting: false, format: 'iife' });
    const server = await startSdkHttp('Remote.');
    onTestFinished(() => server.close());
    const found = await runOnEdge(file!.text, { address: server.url }).result;
    const remote = name === 'edge';
    const block = render({
      added: [{ id: 'docs', text: 'Docs.' }, ...(remote ? [{ id: 'remote', text: 'Remote.' }] : [])],
    });
    expect(found).toMatchObject({
      blocks: [block, block, block, block],
      middleware: 1,
      states: { local: 'unavailable', remote: remote ? 'connected' : 'unavailable' },
      reasons: {
        local: { kind: 'spawn-failed', message: 'a server that runs as a process needs Node' },
        remote: remote
          ? undefined
          : {
              message: expect.stringContaining('connecting needs a bundle made with the condition') as string,
            },
      },
      withoutStore: 'prefix-lost',
      refused: { code: 'CONFIG_FILE', message: 'mcp.json: cannot be read: reading a file needs Node' },
      lines: expect.arrayContaining(['server-failed', 'store-failed']),
    });
  });
});

test('every file that is for Node alone is there', async () => {
  const files = (await readdir(packed, { recursive: true })).filter((name) => name.endsWith('.js'));
  const named = new Set<string>();
  for (const name of files) {
    const text = await readFile(packed + name, 'utf8');
    for (const [, path = ''] of text.matchAll(/import\('#node\/([^']+)'\)/g)) named.add(path);
  }
  expect([...named].sort()).toEqual([
    'injector/trust/pin-file.js',
    'servers/config-file.js',
    'servers/processor-times.js',
    'servers/stdio-link.js',
    'stores/atomic-files.js',
  ]);
  for (const path of named) expect(files).toContain(path);
});

test('an import of Node’s would be noticed', async () => {
  await expect(bundle(`import 'node:fs'`, NEUTRAL)).rejects.toThrow('node:fs');
  const [file] = await bundle(`import 'node:fs'; import('fs/promises')`, { ...NEUTRAL, external: ['*'] });
  expect(foreignImports([file!])).toEqual(['node:fs', 'fs/promises']);
});
