import Anthropic from '@anthropic-ai/sdk';
import { Keyv } from 'keyv';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { ledgerFromData, type LedgerData } from '../../src/conversation/ledger-data.js';
import { ConversationState, type LedgerKeeper } from '../../src/injector/conversation-state.js';
import type { LoggerLike } from '../../src/observe/logger.js';
import type { CountingClient } from '../../src/options/settings.js';
import { GuardedStore } from '../../src/stores/guarded-store.js';
import type { LedgerStore } from '../../src/stores/ledger-store.js';
import { recordingObserver } from '../observe/recording-observer.js';

test('pino is a logger, a Keyv is a store, the SDK counts, and the guard keeps conversations, by their types', () => {
  const countWith: CountingClient = new Anthropic({ apiKey: 'none' });
  const logger: LoggerLike = pino({ level: 'silent' });
  const store: LedgerStore = new Keyv();
  const keeper: LedgerKeeper = new GuardedStore<LedgerData>({
    store,
    timeoutMs: 1,
    observer: recordingObserver(),
  });
  expect([countWith, logger, store, keeper]).toHaveLength(4);
});

test('two processes take turns on one conversation, and each sees what the other saved', async () => {
  const observer = recordingObserver();
  const medium = new Map<string, string>();
  const open = (): ConversationState => {
    const store = new Keyv({ store: medium });
    return new ConversationState(
      'chat-42',
      new GuardedStore<LedgerData>({ store, timeoutMs: 30_000, observer }),
      observer,
    );
  };
  const data = (anchor: string): LedgerData => ({
    version: 1,
    clock: 1,
    entries: [[anchor, { used: 1, depth: 0, committed: true }]],
    blocks: [],
    threads: [],
  });
  const [first, second] = [open(), open()];
  expect(await first.load()).toBe(true);
  first.restore(data('a1'));
  await first.save();
  expect(await second.load()).toBe(true);
  second.restore(data('b2'));
  await second.save();
  expect(await first.load()).toBe(true);
  expect([...ledgerFromData(first.toJSON()).entries.keys()]).toEqual(['a1', 'b2']);
  expect(observer.problems).toEqual([]);
});
