import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { createObserver } from '../../src/observe/create-observer.js';
import type { LoadedLogger } from '../../src/observe/default-sink.js';
import { loadPino } from '../../src/observe/load-pino.js';
import type { LogLevel } from '../../src/observe/logger.js';
import { type MemoryLogger, memoryLogger } from './memory-logger.js';

const folder = mkdtempSync(join(tmpdir(), 'observe-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('pino', () => {
  test('writes JSON lines with event, fields, level, time and message', async () => {
    const file = join(folder, 'log');
    const fd = openSync(file, 'w');
    const observer = createObserver({ logLevel: 'info', load: () => loadPino('info', fd) });
    observer.emit('warn', 'store-failed', { operation: 'get', reason: 'timed-out', timeoutMs: 1000 });
    observer.emit('debug', 'ledger-saved', { entries: 5 });
    observer.emit('info', 'request-cost', { turn: 1, total: 377 });
    await observer.flush();
    const lines = readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line): unknown => JSON.parse(line));
    closeSync(fd);
    expect(lines).toEqual([
      expect.objectContaining({
        level: 40, name: 'mcp-instructions', event: 'store-failed', operation: 'get', reason: 'timed-out', timeoutMs: 1000, msg: expect.any(String), time: expect.any(Number),
      }),
      expect.objectContaining({ level: 30, event: 'request-cost', turn: 1, total: 377 }),
    ]); // prettier-ignore
  });

  test('a closed file is no error', async () => {
    const fd = openSync(join(folder, 'closed'), 'w');
    closeSync(fd);
    const observer = createObserver({ load: () => loadPino('warn', fd) });
    observer.emit('warn', 'store-failed');
    await observer.flush();
    observer.emit('error', 'pins-failed');
    await observer.flush();
  });
});

describe('loading on demand', () => {
  interface Loading {
    readonly lines: MemoryLogger['lines'];
    readonly load: () => Promise<LoadedLogger>;
    readonly finish: () => void;
    readonly loads: () => number;
  }

  function setUp(): Loading {
    const logger = memoryLogger();
    let finish = (): void => {};
    const gate = new Promise<void>((resolve) => {
      finish = resolve;
    });
    let loads = 0;
    return {
      lines: logger.lines,
      loads: () => loads,
      finish: () => finish(),
      load: async () => {
        loads += 1;
        await gate;
        return { logger, flush: () => Promise.resolve() };
      },
    };
  }

  test('lines wait in order, and nothing is loaded for those below the level', async () => {
    const { load, finish, loads, lines } = setUp();
    const observer = createObserver({ load });
    observer.emit('info', 'server-connected', { server: 'a' });
    expect(loads()).toBe(0);
    observer.emit('warn', 'server-lost', { server: 'a' });
    observer.emit('error', 'server-crash-looping', { server: 'a' });
    expect(loads()).toBe(1);
    finish();
    await observer.flush();
    observer.emit('warn', 'server-lost', { server: 'b' });
    expect(lines.map(({ fields }) => [fields['event'], fields['server']])).toEqual([
      ['server-lost', 'a'],
      ['server-crash-looping', 'a'],
      ['server-lost', 'b'],
    ]);
  });

  test('what waits is bounded, and what was lost is said', async () => {
    const { load, finish, lines } = setUp();
    const observer = createObserver({ load });
    for (let number = 0; number < 1_000; number += 1)
      observer.emit('warn', 'server-lost', { server: `s${number}` });
    finish();
    await observer.flush();
    expect(lines).toHaveLength(257);
    expect(lines.at(-2)?.fields).toMatchObject({ server: 's255' });
    expect(lines.at(-1)?.fields).toEqual({ event: 'logs-dropped', events: 744 });
  });

  test.each([
    ['rejects', (): Promise<LoadedLogger> => Promise.reject(new Error('no pino'))],
    ['throws', (): Promise<LoadedLogger> => { throw new Error('no pino'); }], // prettier-ignore
  ])('a loader that %s means silence', async (_, load) => {
    const observer = createObserver({ load });
    observer.emit('warn', 'store-failed');
    await observer.flush();
    observer.emit('error', 'pins-failed');
    await observer.flush();
  });

  test.each([
    ['trace', 4],
    ['debug', 4],
    ['info', 3],
    ['warn', 2],
    ['error', 1],
    ['fatal', 0],
    ['silent', 0],
  ] as const)('level %s writes %d of four', async (logLevel, count) => {
    // prettier-ignore
    const { load, finish, lines, loads } = setUp();
    const observer = createObserver({ logLevel, load });
    for (const level of ['debug', 'info', 'warn', 'error'] satisfies LogLevel[])
      observer.emit(level, 'request-cost');
    finish();
    await observer.flush();
    expect(lines).toHaveLength(count);
    expect(loads()).toBe(count === 0 ? 0 : 1);
  });
});
