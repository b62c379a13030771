import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { InstructionsError } from '../../src/errors.js';
import { fileStore } from '../../src/stores/file-store.js';
import { GuardedStore } from '../../src/stores/guarded-store.js';
import { recordingObserver } from '../observe/recording-observer.js';
import { compiledManifest } from '../support/compiled-manifest.js';

const root = mkdtempSync(join(tmpdir(), 'file-store-'));
const compiled = join(root, 'compiled');
const repository = fileURLToPath(new URL('../..', import.meta.url));
let folder: string;
let runs = 0;

beforeEach(() => {
  runs += 1;
  folder = join(root, `run-${runs}`);
});
afterAll(() => rmSync(root, { recursive: true }));

const fixture = (name: string): string => join(repository, 'test/fixtures/stores', name);

async function read(): Promise<{ number: number; text: string }> {
  return JSON.parse((await fileStore({ folder }).get('key')) ?? 'null');
}

describe('a process that is killed', () => {
  /** Separate processes run JavaScript; compiled here, so that it is never an older build that is tested. */
  beforeAll(() => {
    const options =
      '--ignoreConfig --target es2023 --module nodenext --types node --skipLibCheck --rootDir src --outDir';
    const compiler = join(repository, 'node_modules/typescript/bin/tsc');
    const files = ['src/stores/file-store.ts', 'src/stores/atomic-files.ts'];
    execFileSync(process.execPath, [compiler, ...options.split(' '), compiled, ...files], {
      cwd: repository,
    });
    writeFileSync(join(compiled, 'package.json'), compiledManifest());
  });
  const modulePath = join(compiled, 'stores/file-store.js');

  test.each([
    ['half-written', 1],
    ['not-synced', 1],
    ['not-renamed', 1],
    ['renamed', 2],
    ['never', 2],
  ])('at the step %s leaves text %d, whole', async (step, number) => {
    const child = spawnSync(process.execPath, [fixture('killed-writer.mjs'), modulePath, folder, step]);
    expect(step === 'never' ? child.status : child.signal).toBe(step === 'never' ? 3 : 'SIGKILL');
    expect(await read()).toEqual({ number, text: (number === 1 ? 'a' : 'b').repeat(100_000) });
    await fileStore({ folder }).set('key', '"next"');
    expect(await fileStore({ folder }).get('key')).toBe('"next"');
  });

  test('at any moment leaves the last text that was stored, or a newer one, whole', async () => {
    for (let round = 1; round <= 8; round += 1) {
      folder = join(root, `any-${round}`);
      const child = spawn(process.execPath, [fixture('endless-writer.mjs'), modulePath, folder], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const exit = once(child, 'exit');
      let printed = '';
      for await (const chunk of child.stdout.setEncoding('utf8')) {
        printed += String(chunk);
        if (!printed.includes(`\n${round * 3}\n`)) continue;
        await new Promise((resolve) => {
          setTimeout(resolve, round / 2);
        });
        child.kill('SIGKILL');
      }
      await exit;
      const acknowledged = Number(printed.trim().split('\n').at(-1));
      const { number, text } = await read();
      expect(number).toBeGreaterThanOrEqual(acknowledged);
      expect(text).toBe(String(number).repeat(50_000));
    }
  });
});

describe('the folder', () => {
  test('is for its owner only, and holds one file a key', async () => {
    const store = fileStore({ folder: join(folder, 'deep') });
    await store.set('../../a', '1');
    await store.set('b'.repeat(10_000), '2');
    await store.set('b'.repeat(10_000), '3');
    const names = readdirSync(join(folder, 'deep'));
    expect(names).toHaveLength(2);
    for (const name of names) {
      expect(name).toMatch(/^[0-9a-f]{64}\.json$/);
      expect(statSync(join(folder, 'deep', name)).mode & 0o777).toBe(0o600);
    }
    expect(statSync(join(folder, 'deep')).mode & 0o777).toBe(0o700);
  });

  test('is not touched before the first use', async () => {
    const store = fileStore({ folder });
    expect(await store.get('a')).toBeUndefined();
    expect(() => statSync(folder)).toThrow('ENOENT');
  });

  test('what killed processes left goes when it is old; nothing else does', async () => {
    mkdirSync(folder);
    const left = (id: string): string => `.${'a'.repeat(64)}.${id.repeat(8)}-0000-0000-0000-000000000000.tmp`;
    for (const name of [left('1'), left('2'), 'notes.txt', '.hidden.tmp'])
      writeFileSync(join(folder, name), '');
    for (const name of [left('1'), 'notes.txt', '.hidden.tmp']) utimesSync(join(folder, name), 1, 1);
    await fileStore({ folder }).set('a', '1');
    expect(
      readdirSync(folder)
        .filter((name) => !name.endsWith('.json'))
        .sort((a, b) => (a < b ? -1 : 1)),
    ).toEqual([left('2'), '.hidden.tmp', 'notes.txt']);
  });

  test('that is no folder is a failure with its code', async () => {
    writeFileSync(folder, 'a file');
    const observer = recordingObserver();
    const guarded = new GuardedStore({ store: fileStore({ folder }), timeoutMs: 30_000, observer });
    expect(await guarded.load('a')).toBe('failed');
    expect(await guarded.save('a', () => ({ x: 1 }))).toBeUndefined();
    expect(observer.named('store-failed')).toMatchObject([
      { fields: { operation: 'get', reason: 'threw', code: 'ENOTDIR' } },
    ]);
  });

  test('writes of one key end in the order of the calls', async () => {
    const store = fileStore({ folder });
    const texts = Array.from({ length: 20 }, (_, number) =>
      JSON.stringify(`${number}`.repeat(number === 0 ? 2_000_000 : 1)),
    );
    await Promise.all(texts.map((text) => store.set('a', text)));
    expect(await store.get('a')).toBe(texts.at(-1));
    expect(readdirSync(folder)).toHaveLength(1);
  });

  test.each(['', undefined, 5])('%j is no path', (value) => {
    let thrown: unknown;
    try {
      Reflect.apply(fileStore, undefined, [{ folder: value }]);
    } catch (error) {
      thrown = error;
    }
    expect(InstructionsError.isInstance(thrown) && thrown.code).toBe('INVALID_OPTION');
  });
});
