import { describe, expect, test } from 'vitest';
import { GuardedStore } from '../../src/stores/guarded-store.js';
import type { LedgerStore } from '../../src/stores/ledger-store.js';
import { memoryStore } from '../../src/stores/memory-store.js';
import { storeKey } from '../../src/stores/store-key.js';
import { type RecordingObserver, recordingObserver } from '../observe/recording-observer.js';
import { type ManualTimers, manualTimers } from './manual-timers.js';
import { ScriptedStore } from './scripted-store.js';

interface Names {
  readonly names: readonly string[];
}

function adding(...names: readonly string[]): (stored: Names | undefined) => Names {
  return (stored) => ({ names: [...new Set([...(stored?.names ?? []), ...names])] });
}

interface Setup {
  readonly guarded: GuardedStore<Names>;
  readonly observer: RecordingObserver;
  readonly timers: ManualTimers;
}

function setUp(store: LedgerStore): Setup {
  const observer = recordingObserver();
  const timers = manualTimers();
  return {
    observer,
    timers,
    guarded: new GuardedStore<Names>({ store, timeoutMs: 1_000, observer, timers }),
  };
}

/** Lets everything run that waits for no timer. */
async function settle(): Promise<void> {
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
}

const stored = (store: ScriptedStore, id: string): unknown =>
  JSON.parse(store.values.get(storeKey(id)) ?? 'null');

describe('a store that fails', () => {
  test.each([
    ['throws', 'threw', 'ECONNREFUSED'],
    ['rejects', 'threw', 'ECONNREFUSED'],
    ['hides', 'error-event', 'ECONNREFUSED'],
    ['lies', 'not-text', undefined],
  ] as const)('a get that %s is a failure, not an empty store', async (behaviour, reason, code) => {
    const store = new ScriptedStore();
    const { guarded, observer } = setUp(store);
    store.behaviour = behaviour;
    expect(await guarded.load('a')).toBe('failed');
    expect(observer.events).toEqual([
      { level: 'warn', event: 'store-failed', fields: { operation: 'get', reason, code, timeoutMs: 1_000 } },
    ]);
    expect(observer.problems).toEqual([]);
  });

  test.each([
    ['throws', 'threw'],
    ['rejects', 'threw'],
    ['refuses', 'refused'],
    ['hides', 'error-event'],
  ] as const)('a set that %s is a failure, and is made up for', async (behaviour, reason) => {
    const store = new ScriptedStore();
    const { guarded, observer } = setUp(store);
    Object.assign(store, { behaviour, operations: ['set'] });
    expect(await guarded.save('a', adding('x'))).toBeUndefined();
    expect(observer.named('store-failed')).toMatchObject([{ fields: { operation: 'set', reason } }]);
    store.release();
    await guarded.flush();
    expect(stored(store, 'a')).toEqual({ names: ['x'] });
    expect(observer.named('ledger-unsaved')).toEqual([]);
  });

  test('no event holds what an error says', async () => {
    const store = new ScriptedStore();
    const { guarded, observer } = setUp(store);
    store.behaviour = 'rejects';
    await guarded.load('a');
    await guarded.save('a', adding('x'));
    await guarded.flush();
    expect(observer.events.length).toBeGreaterThan(1);
    expect(JSON.stringify(observer.events)).not.toContain('S3CRET');
  });

  test('without a read there is no write: another record may be stored', async () => {
    const store = new ScriptedStore();
    const { guarded } = setUp(store);
    store.values.set(storeKey('a'), '{"names":["of another process"]}');
    Object.assign(store, { behaviour: 'rejects', operations: ['get'] });
    expect(await guarded.save('a', adding('mine'))).toBeUndefined();
    expect(stored(store, 'a')).toEqual({ names: ['of another process'] });
    store.release();
    await guarded.flush();
    expect(stored(store, 'a')).toEqual({ names: ['of another process', 'mine'] });
  });

  test('one warning an outage, one line at its end', async () => {
    const store = new ScriptedStore();
    const { guarded, observer } = setUp(store);
    for (let outage = 1; outage <= 2; outage += 1) {
      for (const behaviour of ['rejects', 'hides', 'throws'] as const) {
        store.behaviour = behaviour;
        await guarded.load('a');
        await guarded.save('b', adding('x'));
      }
      store.release();
      await guarded.load('a');
      expect(observer.named('store-failed')).toHaveLength(outage);
      expect(observer.named('store-recovered').map(({ fields }) => fields['failedCalls'])).toEqual(
        Array.from({ length: outage }, () => 6),
      );
      await guarded.flush();
    }
  });

  test('what could not be saved is saved as soon as any call succeeds', async () => {
    const store = new ScriptedStore();
    const { guarded } = setUp(store);
    store.behaviour = 'rejects';
    await Promise.all(['a', 'b', 'c'].map((id) => guarded.save(id, adding(id))));
    store.release();
    await guarded.load('other');
    await settle();
    expect(['a', 'b', 'c'].map((id) => stored(store, id))).toEqual([
      { names: ['a'] },
      { names: ['b'] },
      { names: ['c'] },
    ]);
  });

  test('a store that reads and does not write is one outage, and is not stormed', async () => {
    const store = new ScriptedStore();
    const { guarded, observer } = setUp(store);
    Object.assign(store, { behaviour: 'refuses', operations: ['set'] });
    for (let number = 0; number < 50; number += 1) {
      await guarded.load(`c${number}`);
      await guarded.save(`c${number}`, adding('x'));
    }
    expect(store.calls).toHaveLength(150);
    expect(observer.events.map(({ event }) => event)).toEqual(['store-failed']);
    store.release();
    await guarded.save('last', adding('x'));
    await guarded.flush();
    expect(store.values.size).toBe(51);
    expect(observer.named('ledger-unsaved')).toEqual([]);
  });

  test('what could not be deleted is deleted after the next write', async () => {
    const store = new ScriptedStore();
    const { guarded } = setUp(store);
    await guarded.save('a', adding('x'));
    Object.assign(store, { behaviour: 'rejects', operations: ['delete'] });
    await guarded.forget('a');
    store.release();
    await guarded.save('b', adding('y'));
    await settle();
    expect([...store.values.keys()]).toEqual([storeKey('b')]);
  });

  test('what is still not saved at the end is said', async () => {
    const store = new ScriptedStore();
    const { guarded, observer } = setUp(store);
    store.behaviour = 'rejects';
    await guarded.save('a', adding('x'));
    await guarded.save('b', adding('x'));
    await guarded.flush();
    expect(observer.named('ledger-unsaved')).toEqual([
      { level: 'warn', event: 'ledger-unsaved', fields: { conversations: 2 } },
    ]);
  });

  test('what waits to be saved is bounded', async () => {
    const store = new ScriptedStore();
    const { guarded, observer } = setUp(store);
    store.behaviour = 'rejects';
    for (let number = 0; number < 1_500; number += 1) await guarded.save(`c${number}`, adding('x'));
    await guarded.flush();
    expect(observer.named('ledger-unsaved')[0]?.fields).toEqual({ conversations: 1_000 });
  });
});

describe('a store that hangs', () => {
  test('every call ends at the limit', async () => {
    const store = new ScriptedStore();
    const { guarded, timers, observer } = setUp(store);
    store.behaviour = 'hangs';
    const all = Promise.all([
      guarded.load('a'),
      guarded.save('a', adding('x')),
      guarded.forget('b'),
      guarded.flush(),
    ]);
    let isOver = false;
    void all.then(() => {
      isOver = true;
      return isOver;
    });
    await settle();
    timers.advance(999);
    await settle();
    expect(isOver).toBe(false);
    timers.advance(1);
    expect(await all).toEqual(['failed', undefined, undefined, undefined]);
    expect(observer.named('store-failed')).toMatchObject([{ fields: { reason: 'timed-out' } }]);
    expect(observer.named('ledger-unsaved')).toHaveLength(1);
  });

  test('however many turns are saved meanwhile, one call hangs a conversation', async () => {
    const store = new ScriptedStore();
    const { guarded, timers } = setUp(store);
    store.behaviour = 'hangs';
    const saves = Array.from({ length: 100 }, (_, turn) => guarded.save('a', adding(`turn ${turn}`)));
    await settle();
    timers.advance(1_000);
    expect(await Promise.all(saves)).toEqual(saves.map(() => undefined));
    expect(store.calls.length).toBeLessThanOrEqual(2);
  });

  test('when it goes on, what waited is saved', async () => {
    const store = new ScriptedStore();
    const { guarded, timers } = setUp(store);
    store.behaviour = 'hangs';
    const saving = guarded.save('a', adding('x'));
    await settle();
    timers.advance(1_000);
    expect(await saving).toBeUndefined();
    store.release();
    expect(await guarded.load('b')).toBeUndefined();
    await settle();
    expect(stored(store, 'a')).toEqual({ names: ['x'] });
  });

  test('no timer is left behind', async () => {
    const { guarded, timers } = setUp(new ScriptedStore());
    await guarded.load('a');
    await guarded.save('a', adding('x'));
    await guarded.forget('a');
    await guarded.flush();
    expect(timers.pending).toBe(0);
  });
});

describe('forgetting', () => {
  test('makes void what waits to be saved', async () => {
    const store = new ScriptedStore();
    const { guarded, timers } = setUp(store);
    store.behaviour = 'hangs';
    const first = guarded.save('a', adding('first'));
    await settle();
    const second = guarded.save('a', adding('second'));
    const forgotten = guarded.forget('a');
    const third = guarded.save('a', adding('third'));
    await settle();
    store.release();
    expect(await first).toEqual({ names: ['first'] });
    expect(await second).toBeUndefined();
    await forgotten;
    expect(await third).toEqual({ names: ['third'] });
    expect(stored(store, 'a')).toEqual({ names: ['third'] });
    expect(timers.pending).toBe(0);
  });

  test('holds when the store could not delete', async () => {
    const store = new ScriptedStore();
    const { guarded } = setUp(store);
    await guarded.save('a', adding('old'));
    Object.assign(store, { behaviour: 'rejects', operations: ['delete', 'set'] });
    await guarded.forget('a');
    expect(await guarded.load('a')).toBeUndefined();
    expect(await guarded.save('a', adding('new'))).toBeUndefined();
    expect(await guarded.load('a')).toBeUndefined();
    store.release();
    expect(await guarded.save('a', adding('newer', 'new'))).toEqual({ names: ['newer', 'new'] });
    expect(await guarded.load('a')).toEqual({ names: ['newer', 'new'] });
  });
});

describe('saving', () => {
  test('uses an atomic update where there is one', async () => {
    const store = memoryStore();
    const calls: string[] = [];
    const watched: LedgerStore = {
      get: (key) => store.get(key),
      set: () => void calls.push('set'),
      delete: (key) => store.delete(key),
      update: (key, change) => {
        calls.push('update');
        store.update(key, change);
      },
    };
    const { guarded } = setUp(watched);
    expect(await guarded.save('a', adding('x'))).toEqual({ names: ['x'] });
    expect(calls).toEqual(['update']);
    expect(await guarded.load('a')).toEqual({ names: ['x'] });
  });

  test('does not write what is already there', async () => {
    const store = new ScriptedStore();
    const { guarded } = setUp(store);
    await guarded.save('a', adding('x'));
    await guarded.save('a', adding('x'));
    expect(store.calls).toEqual(['get', 'set', 'get']);
  });

  test.each(['', 'not json', '5', 'null', '"text"', '{"names":'])(
    'what is stored as %j counts as nothing, loudly',
    async (text) => {
      const store = new ScriptedStore();
      const { guarded, observer } = setUp(store);
      store.values.set(storeKey('a'), text);
      expect(await guarded.load('a')).toBeUndefined();
      expect(await guarded.save('a', adding('x'))).toEqual({ names: ['x'] });
      expect(observer.named('ledger-lost')[0]).toEqual({
        level: 'warn',
        event: 'ledger-lost',
        fields: { conversation: 'a', reason: 'not-json' },
      });
      expect(observer.problems).toEqual([]);
    },
  );

  test('a change that throws is reported and breaks nothing', async () => {
    const { guarded, observer } = setUp(new ScriptedStore());
    const broken = (): never => {
      throw new TypeError('S3CRET');
    };
    expect(await guarded.save('a', broken)).toBeUndefined();
    expect(observer.named('injection-failed')).toEqual([
      {
        level: 'error',
        event: 'injection-failed',
        fields: { conversation: 'a', step: 'save', reason: 'TypeError' },
      },
    ]);
    expect(await guarded.save('a', adding('x'))).toEqual({ names: ['x'] });
  });

  test('many injectors may share one store without piling up listeners', () => {
    const store = new ScriptedStore();
    for (let number = 0; number < 200; number += 1) setUp(store);
    expect(store.listenerCount('error')).toBe(1);
  });
});
