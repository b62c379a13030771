import KeyvRedis, { createKeyv } from '@keyv/redis';
import type { Keyv } from 'keyv';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { GuardedStore } from '../../src/stores/guarded-store.js';
import { describeLedgerStore } from '../contracts/ledger-store.js';
import { recordingObserver } from '../observe/recording-observer.js';
import { manualTimers } from './manual-timers.js';
import { hasRedis, type RedisServer, startRedis } from './redis-server.js';

interface Names {
  readonly names: readonly string[];
}

/** Adds a name, as a host process adds a record. */
function adding(name: string): (stored: Names | undefined) => Names {
  return (stored) => ({ names: [...new Set([...(stored?.names ?? []), name])] });
}

/** The adapter under a Keyv that `createKeyv` made. */
function adapterOf(keyv: Keyv): KeyvRedis<string> {
  const { store } = keyv;
  if (!(store instanceof KeyvRedis)) throw new Error('not a Redis');
  return store;
}

if (hasRedis) describeRedis();
else {
  console.log('The Redis tests were left out: redis-server is not on the PATH.');
  test('Redis is there where it is required', () => {
    expect(process.env['REQUIRE_SERVICES']).not.toBe('1');
  });
}

function describeRedis(): void {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(async () => {
    await redis.close();
  });

  describeLedgerStore('Keyv on Redis', async () => {
    const opened: Keyv[] = [];
    const open = (): Keyv => {
      const keyv = createKeyv(redis.url);
      opened.push(keyv);
      return keyv;
    };
    await open().clear();
    return {
      open,
      close: async () => {
        await Promise.all(opened.map((keyv) => keyv.disconnect()));
      },
    };
  });

  describe('a Redis that stops in the middle', () => {
    let keyv: Keyv;

    beforeEach(async () => {
      keyv = createKeyv(redis.url);
      await keyv.clear();
    });
    afterEach(async () => {
      redis.resume();
      await redis.restart();
      await adapterOf(keyv).disconnect(true);
    });

    test('calls end at the limit, with one warning, and what was not saved is saved when it is back', async () => {
      const timers = manualTimers();
      const observer = recordingObserver();
      const guarded = new GuardedStore<Names>({
        store: keyv,
        timeoutMs: 1_000,
        observer,
        timers,
      });
      expect(await guarded.save('a', adding('before'))).toEqual({ names: ['before'] });

      redis.pause();
      for (let turn = 0; turn < 3; turn += 1) {
        const loading = guarded.load('a');
        timers.advance(1_000);
        expect(await loading).toBe('failed');
        const saving = guarded.save('a', adding('meanwhile'));
        timers.advance(1_000);
        expect(await saving).toBeUndefined();
      }
      expect(observer.named('store-failed')).toMatchObject([
        { fields: { operation: 'get', reason: 'timed-out', timeoutMs: 1_000 } },
      ]);

      redis.resume();
      timers.advance(1_000);
      expect(await guarded.load('b')).toBeUndefined();
      await guarded.flush();
      const names = await guarded.load('a');
      expect(names).toEqual({ names: ['before', 'meanwhile'] });
      expect(observer.named('store-failed')).toHaveLength(1);
      expect(observer.named('store-recovered')).toHaveLength(1);
      expect(observer.problems).toEqual([]);
    });

    test('a Redis that dies is a failure, not an empty store', async () => {
      const observer = recordingObserver();
      const timers = manualTimers();
      const guarded = new GuardedStore<Names>({ store: keyv, timeoutMs: 1_000, observer, timers });
      await guarded.save('a', adding('before'));
      await redis.kill();
      const loading = guarded.load('a');
      timers.advance(1_000);
      expect(await loading).toBe('failed');
      const saving = guarded.save('a', adding('after'));
      timers.advance(1_000);
      expect(await saving).toBeUndefined();
      expect(observer.named('store-failed')).toHaveLength(1);
    });

    test('a Redis that refuses to write is a failure, although Keyv answers true', async () => {
      const observer = recordingObserver();
      const guarded = new GuardedStore<Names>({ store: keyv, timeoutMs: 30_000, observer });
      await guarded.save('a', adding('before'));
      await redis.refuseWrites();
      expect(await keyv.set('plain', 'x')).toBe(true);
      expect(await guarded.save('a', adding('after'))).toBeUndefined();
      expect(observer.named('store-failed')).toMatchObject([
        { fields: { operation: 'set', reason: 'error-event' } },
      ]);
      expect(await guarded.load('a')).toEqual({ names: ['before'] });
    });
  });
}
