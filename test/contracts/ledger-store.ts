import { assert, asyncProperty, string } from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { GuardedStore } from '../../src/stores/guarded-store.js';
import type { LedgerStore } from '../../src/stores/ledger-store.js';
import { storeKey } from '../../src/stores/store-key.js';
import { recordingObserver } from '../observe/recording-observer.js';

/** A medium with as many stores on it as a test wants. */
export interface StoreMedium {
  /** A store on this medium; a further one is like another process, where the medium allows it. */
  open(): LedgerStore | Promise<LedgerStore>;
  close(): void | Promise<void>;
}

interface Names {
  readonly names: readonly string[];
}

/** Adds a name, as a host process adds a record. */
function adding(name: string): (stored: Names | undefined) => Names {
  return (stored) => ({
    names: [...new Set([...(stored?.names ?? []), name])].sort((a, b) => (a < b ? -1 : 1)),
  });
}

const oddTexts: readonly string[] = [
  '{}', 'null', '""', ' ', '\n', ':base64:AAAA', ':', '::x', '{"value":1,"expires":1}', '\u0000\u0001', '\u2028', '😀 é é 日本語', '\\u0000', '"\\ud800"',
  '{"__proto__":1}', '9'.repeat(30),
]; // prettier-ignore

const oddIds: readonly string[] = [
  '', 'a', 'A', 'keyv:a', 'a:b', '../a', '../../etc/passwd', '/', '.', '..', 'a/b', 'a\\b', 'con', 'a\u0000b', 'a\nb', ' a', 'a ', '*', '__proto__', 'constructor', 'é', 'é', '日本語', '😀',
  'x'.repeat(100), 'x'.repeat(101), 'y'.repeat(10_000), `sha256-${'0'.repeat(64)}`,
]; // prettier-ignore

/** What every store must do, alone and behind the guard. */
export function describeLedgerStore(name: string, openMedium: () => Promise<StoreMedium>): void {
  describe(`${name} as a ledger store`, () => {
    let medium: StoreMedium;
    let store: LedgerStore;
    const key = storeKey('chat-42');

    beforeEach(async () => {
      medium = await openMedium();
      store = await medium.open();
    });
    afterEach(async () => {
      await medium.close();
    });

    function guard(over: LedgerStore): { guarded: GuardedStore<Names>; problems: () => unknown[] } {
      const observer = recordingObserver();
      const guarded = new GuardedStore<Names>({ store: over, timeoutMs: 30_000, observer });
      return { guarded, problems: () => observer.events.filter(({ level }) => level !== 'debug') };
    }

    test('an unknown key has nothing, and deleting it is no failure', async () => {
      expect((await store.get(key)) ?? undefined).toBeUndefined();
      await store.delete(key);
      expect((await store.get(key)) ?? undefined).toBeUndefined();
    });

    test('what was set is got, to the character', async () => {
      for (const text of oddTexts) {
        expect(await store.set(key, text)).not.toBe(false);
        expect(await store.get(key)).toBe(text);
      }
      await assert(
        asyncProperty(string({ unit: 'binary' }), async (text) => {
          await store.set(key, JSON.stringify(text));
          expect(await store.get(key)).toBe(JSON.stringify(text));
        }),
        { numRuns: 50 },
      );
    });

    test('a megabyte is kept', async () => {
      const text = JSON.stringify('é日😀x'.repeat(200_000));
      expect(await store.set(key, text)).not.toBe(false);
      expect(await store.get(key)).toBe(text);
    });

    test('deleted is gone, and can be set again', async () => {
      await store.set(key, '1');
      await store.delete(key);
      expect((await store.get(key)) ?? undefined).toBeUndefined();
      await store.set(key, '2');
      expect(await store.get(key)).toBe('2');
    });

    test('ids are told apart, whatever is in them', async () => {
      for (const id of oddIds) await store.set(storeKey(id), JSON.stringify(id));
      for (const id of oddIds) expect(await store.get(storeKey(id))).toBe(JSON.stringify(id));
      await store.delete(storeKey('a'));
      for (const id of oddIds.filter((other) => other !== 'a'))
        expect(await store.get(storeKey(id))).toBe(JSON.stringify(id));
    });

    test('another store on the same medium sees it', async () => {
      await store.set(key, '1');
      const other = await medium.open();
      expect(await other.get(key)).toBe('1');
      await other.set(key, '2');
      expect(await store.get(key)).toBe('2');
    });

    test('an update, where there is one, loses none of 20 at once', async () => {
      const other = await medium.open();
      if (!('update' in store)) return;
      const append = (number: number) => (stored: string | undefined) =>
        JSON.stringify([...JSON.parse(stored ?? '[]'), number]);
      await Promise.all(
        Array.from({ length: 20 }, (_, number) => (number % 2 ? store : other).update?.(key, append(number))),
      );
      const numbers: number[] = JSON.parse((await store.get(key)) ?? '[]');
      expect(numbers.sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, number) => number));
    });

    test('behind the guard: load, save, forget', async () => {
      const { guarded, problems } = guard(store);
      expect(await guarded.load('a')).toBeUndefined();
      expect(await guarded.save('a', adding('x'))).toEqual({ names: ['x'] });
      expect(await guarded.save('a', adding('y'))).toEqual({ names: ['x', 'y'] });
      expect(await guarded.load('a')).toEqual({ names: ['x', 'y'] });
      expect(await guarded.load('b')).toBeUndefined();
      await guarded.forget('a');
      await guarded.forget('never there');
      expect(await guarded.load('a')).toBeUndefined();
      await guarded.flush();
      expect(problems()).toEqual([]);
    });

    test('behind the guard: processes that take turns see each other', async () => {
      const processes = [guard(store), guard(await medium.open()), guard(await medium.open())];
      const names = Array.from({ length: 12 }, (_, turn) => `turn ${String.fromCodePoint(97 + turn)}`);
      for (const [turn, name] of names.entries()) {
        const process = processes[turn % processes.length];
        expect(await process?.guarded.save('a', adding(name))).toEqual({ names: names.slice(0, turn + 1) });
      }
      expect(processes.flatMap(({ problems }) => problems())).toEqual([]);
    });

    test('behind the guard: 20 saves at once in one process lose nothing that the last one includes', async () => {
      const { guarded, problems } = guard(store);
      const mine = new Set<string>();
      const save = (name: string): Promise<Names | undefined> => {
        mine.add(name);
        return guarded.save('a', (stored) => ({ names: [...new Set([...(stored?.names ?? []), ...mine])] }));
      };
      await guarded.save('a', adding('from before'));
      await Promise.all(Array.from({ length: 20 }, (_, number) => save(`n${number}`)));
      await guarded.flush();
      const loaded = await guarded.load('a');
      expect(loaded === 'failed' ? [] : new Set(loaded?.names)).toEqual(new Set(['from before', ...mine]));
      expect(problems()).toEqual([]);
    });
  });
}
