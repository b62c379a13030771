import { describe, expect, test } from 'vitest';
import { createObserver } from '../../src/observe/create-observer.js';
import { events } from '../../src/observe/events.js';
import { memoryLogger } from './memory-logger.js';
import { untyped } from './untyped.js';

describe('with the logger of the host', () => {
  test('lines have a stable shape: the event, its fields, a message', () => {
    const logger = memoryLogger();
    const observer = createObserver({ logger });
    observer.emit('info', 'server-connected', {
      server: 'docs',
      era: 'modern',
      version: '2026-07-28',
      attempt: 1,
    });
    expect(logger.lines).toEqual([
      {
        level: 'info',
        fields: {
          event: 'server-connected',
          server: 'docs',
          era: 'modern',
          version: '2026-07-28',
          attempt: 1,
        },
        message: 'A server is connected',
      },
    ]);
  });

  test('its own levels rule, ours does not', () => {
    const logger = memoryLogger();
    createObserver({ logger, logLevel: 'silent' }).emit('debug', 'ledger-saved', { entries: 1 });
    expect(logger.lines).toMatchObject([{ level: 'debug' }]);
  });

  test('methods are called on the logger', () => {
    class Logger {
      readonly names: unknown[] = [];
      debug(): void {}
      info(): void {}
      warn(fields: Record<string, unknown>): void {
        this.names.push(fields['event']);
      }
      error(): void {}
    }
    const logger = new Logger();
    createObserver({ logger }).emit('warn', 'store-failed');
    expect(logger.names).toEqual(['store-failed']);
  });

  test('nothing that is not in the table comes through', () => {
    const logger = memoryLogger();
    const observer = createObserver({ logger });
    for (const event of Object.keys(events)) {
      const secret = {
        text: 'S3CRET',
        headers: 'S3CRET',
        url: 'S3CRET',
        env: ['S3CRET'],
        error: 'S3CRET',
        message: 'S3CRET',
      };
      untyped(observer).emit('error', event, secret);
    }
    untyped(observer).emit('error', 'S3CRET', { server: 'S3CRET' });
    expect(logger.lines).toHaveLength(Object.keys(events).length);
    expect(JSON.stringify(logger.lines)).not.toContain('S3CRET');
  });

  test('a logger that throws, rejects, or a field that throws never reaches the caller', async () => {
    const broken = (): never => {
      throw new Error('logger');
    };
    // oxlint-disable-next-line typescript/no-misused-promises -- an untyped host may pass an async logger
    const rejecting: () => void = () => Promise.reject(new Error('logger'));
    for (const method of [broken, rejecting]) {
      const observer = createObserver({
        logger: { debug: method, info: method, warn: method, error: method },
      });
      for (const level of ['debug', 'info', 'warn', 'error'] as const)
        observer.emit(level, 'store-failed', { operation: level });
      await observer.flush();
    }
    const hostile = new Proxy({}, { ownKeys: broken, get: broken });
    createObserver({ logger: memoryLogger() }).emit('warn', 'store-failed', hostile);
    createObserver({ logger: memoryLogger(), clock: broken }).emit('warn', 'store-failed');
    await createObserver({ logger: memoryLogger(), clock: broken }).flush();
  });

  test('a logger cannot change what another line holds', () => {
    const lines: unknown[] = [];
    const method = (fields: Record<string, unknown>): void => {
      lines.push({ ...fields });
      fields['event'] = 'changed';
    };
    const observer = createObserver({ logger: { debug: method, info: method, warn: method, error: method } });
    const fields = Object.freeze({ variable: 'X' });
    observer.emit('warn', 'setting-ignored', fields);
    observer.emit('warn', 'setting-ignored', fields);
    expect(lines).toEqual(Array.from({ length: 2 }, () => ({ event: 'setting-ignored', variable: 'X' })));
  });
});

describe('repetitions', () => {
  test('are alike by event, server and reason', async () => {
    let now = 0;
    const logger = memoryLogger();
    const observer = createObserver({ logger, clock: () => now });
    const lose = (server: string, reason: string, retryMs: number): void =>
      observer.emit('warn', 'server-lost', { server, reason, retryMs });
    for (let attempt = 1; attempt <= 50; attempt += 1) lose('a', 'exited', attempt);
    lose('a', 'timed-out', 1);
    lose('b', 'exited', 1);
    observer.emit('warn', 'server-failed', { server: 'a', reason: 'exited' });
    expect(logger.lines.map(({ fields }) => [fields['event'], fields['server'], fields['reason']])).toEqual([
      ['server-lost', 'a', 'exited'],
      ['server-lost', 'a', 'timed-out'],
      ['server-lost', 'b', 'exited'],
      ['server-failed', 'a', 'exited'],
    ]);
    now = 60_000;
    await observer.flush();
    expect(logger.lines.slice(4).map(({ fields }) => fields)).toEqual([
      { event: 'server-lost', server: 'a', reason: 'exited', retryMs: 50, repeated: 49 },
    ]);
  });

  test('what is of use for every request is never held back', () => {
    const logger = memoryLogger();
    const observer = createObserver({ logger });
    for (let turn = 1; turn <= 3; turn += 1) observer.emit('info', 'request-cost', { turn });
    expect(logger.lines.map(({ fields }) => fields['turn'])).toEqual([1, 2, 3]);
  });
});
