import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const run = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url));
const installed = join(root, 'node_modules');

/** A folder of a host's, with the packed package, what it depends on, and none of the SDKs. */
let folder = '';

/** What the package depends on, and what a host's compiler needs. */
const BESIDE = [
  '@modelcontextprotocol',
  '@noble/hashes',
  '@types/node',
  'cross-spawn',
  'diff',
  'js-tiktoken',
  'pino',
];

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'consumer-')));
  // A package of its own, whatever stands in a folder above.
  await writeFile(join(folder, 'package.json'), '{"private":true}');
  const { stdout } = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
    cwd: root,
  });
  const [tarball] = Object.values(JSON.parse(stdout) as object) as { filename: string }[];
  const modules = join(folder, 'node_modules');
  await mkdir(join(modules, 'mcp-instructions'), { recursive: true });
  await run('tar', [
    '-xzf',
    join(folder, tarball!.filename),
    '-C',
    join(modules, 'mcp-instructions'),
    '--strip-components=1',
  ]);
  for (const name of BESIDE) {
    await mkdir(dirname(join(modules, name)), { recursive: true });
    await symlink(join(installed, name), join(modules, name));
  }
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** What a host does with each entry, in the words of its module system. */
const body = (load: (entry: string) => string): string => `
  const { createInjector } = ${load('')};
  const { withInstructions } = ${load('/anthropic')};
  const { instructionsMiddleware } = ${load('/ai-sdk')};
  const { prepareChat, chatFormat } = ${load('/openai')};
  const { requestFormatContract } = ${load('/testing')};
  const injector = createInjector();
  injector.adopt('docs', { instructions: 'Docs.' });
  const conversation = injector.conversation('chat');
  const request = { messages: [{ role: 'user', content: 'hello' }] };
  const chat = await prepareChat(conversation, request);
  await injector.close();
  console.log(JSON.stringify({
    blocks: chat.request.messages[0].content.length,
    kinds: [withInstructions, instructionsMiddleware, chatFormat, requestFormatContract].map((value) => typeof value),
  }));`;
const DONE = { blocks: 2, kinds: ['function', 'function', 'function', 'function'] };

describe('the packed package', () => {
  test('in a module of Node', async () => {
    await writeFile(
      join(folder, 'host.mjs'),
      body((entry) => `await import('mcp-instructions${entry}')`),
    );
    const { stdout } = await run(process.execPath, ['host.mjs'], { cwd: folder });
    expect(JSON.parse(stdout)).toEqual(DONE);
  });

  test('in CommonJS, by require', async () => {
    const text = body((entry) => `require('mcp-instructions${entry}')`);
    await writeFile(join(folder, 'host.cjs'), `(async () => {${text}})();`);
    const { stdout } = await run(process.execPath, ['--no-warnings', 'host.cjs'], { cwd: folder });
    expect(JSON.parse(stdout)).toEqual(DONE);
  });

  test('finds no SDK there, so none is needed to load it', async () => {
    const names = await readdir(join(folder, 'node_modules'));
    expect(names).not.toContain('openai');
    expect(names).not.toContain('ai');
    expect(names).not.toContain('@anthropic-ai');
  });
});

const PROGRAM = `
import { createInjector, defineFormat, type Report, type RequestFormat } from 'mcp-instructions';
import { withInstructions } from 'mcp-instructions/anthropic';
import { forConversation, instructionsMiddleware } from 'mcp-instructions/ai-sdk';
import { chatFormat, prepareChat, withInstructionsFetch } from 'mcp-instructions/openai';
import { requestFormatContract, type ContractSubject } from 'mcp-instructions/testing';

const injector = createInjector({ servers: { docs: { command: 'node' } } });
const conversation = injector.conversation('chat');
export const report: Report | undefined = conversation.lastReport;
export const format: RequestFormat<{ messages: readonly { role: string }[] }> = chatFormat();
export const middleware = instructionsMiddleware(conversation);
export const options = forConversation(conversation);
export const send: typeof fetch = withInstructionsFetch(conversation);
export const client = withInstructions({ middleware: [], withOptions: () => ({}) }, conversation);
export const chat = prepareChat(conversation, { messages: [{ role: 'user', content: 'hi' }] });
interface Body {
  model: string;
  messages: ({ role: 'user'; content: string } | { role: 'function'; name: string; content: string })[];
}
declare function create(body: Body): void;
export async function sendAll(): Promise<void> {
  const written = await prepareChat(conversation, { model: 'm', messages: [{ role: 'user', content: 'hi' }] });
  create(written.request);
  create((await conversation.prepare({ model: 'm', messages: [{ role: 'user', content: 'hi' }] })).request);
  // @ts-expect-error words that the API does not know are noticed
  create((await prepareChat(conversation, { model: 'm', messages: [{ role: 'usr', content: 'hi' }] })).request);
}
declare const subject: ContractSubject<object>;
export const checks = requestFormatContract(subject);
export { defineFormat };
// @ts-expect-error so that a type that is lost is noticed
export const wrong: number = middleware;
`;

const COMPILERS = [
  ['5.7', 'typescript57/lib/tsc.js'],
  ['6', 'typescript6/lib/tsc.js'],
  ['7', 'typescript/bin/tsc'],
] as const;
const RESOLUTIONS = [
  { module: 'nodenext', moduleResolution: 'nodenext' },
  { module: 'esnext', moduleResolution: 'bundler' },
] as const;
const matrix = COMPILERS.flatMap(([version, compiler]) => [
  ...RESOLUTIONS.map((resolution) => ({
    name: `TypeScript ${version}, ${resolution.moduleResolution}`,
    compiler,
    options: resolution,
    file: 'host.mts',
  })),
  // Before 5.8 the compiler knows nothing of `require` of a module.
  ...(version === '5.7'
    ? []
    : [
        {
          name: `TypeScript ${version}, nodenext, CommonJS`,
          compiler,
          options: RESOLUTIONS[0],
          file: 'host.cts',
        },
      ]),
]);

describe('its types, with every declaration checked', () => {
  test.for(matrix)('$name', async ({ name, compiler, options, file }) => {
    const config = `tsconfig.${name.replaceAll(/\W+/g, '-')}.json`;
    await writeFile(join(folder, file), PROGRAM);
    await writeFile(
      join(folder, config),
      JSON.stringify({
        compilerOptions: {
          target: 'es2023',
          types: ['node'],
          strict: true,
          exactOptionalPropertyTypes: true,
          skipLibCheck: false,
          noEmit: true,
          ...options,
        },
        files: [file],
      }),
    );
    const args = [join(installed, compiler), '-p', config, '--pretty', 'false'];
    const { stdout } = await run(process.execPath, args, { cwd: folder }).catch(
      (error: { stdout: string }) => error,
    );
    expect(stdout).toBe('');
  });
});
