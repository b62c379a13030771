import { expect, it } from 'vitest';
import type { Outcome, PreparedCall } from '../../src/injector/prepared.js';
import { ThreadFilings } from '../../src/injector/thread-filings.js';
import { ManualClock } from '../servers/support/manual-clock.js';

type Message = NonNullable<Outcome['message']>;

/** A request whose answer comes when the test says so. */
function underWay(filings: ThreadFilings, filed: Set<string>, idAtOnce?: string): (id: string) => void {
  let end: (message: Message) => void = () => {};
  const prepared: Pick<PreparedCall<unknown>, 'commit'> = {
    commit: (outcome) => {
      if (outcome?.message !== undefined) filed.add((outcome.message as { id: string }).id);
      // The store never answers; the next request does not wait for it.
      return new Promise(() => {});
    },
  };
  void filings.file(prepared as PreparedCall<unknown>, (onId) => {
    if (idAtOnce !== undefined) onId(idAtOnce);
    return new Promise((resolve) => (end = resolve));
  });
  return (id) => end({ id, content: [] });
}

function start(): {
  filings: ThreadFilings;
  clock: ManualClock;
  filed: Set<string>;
  wait(id: string): { readonly isOver: boolean };
} {
  const clock = new ManualClock();
  const filings = new ThreadFilings(clock);
  const filed = new Set<string>();
  const wait = (id: string): { isOver: boolean } => {
    const state = { isOver: false };
    void filings.whenFiled(id, () => filed.has(id)).then(() => (state.isOver = true));
    return state;
  };
  return { filings, clock, filed, wait };
}

const ticks = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it('a request waits for the answer it goes on from', async () => {
  const { filings, filed, wait } = start();
  const end = underWay(filings, filed, 'm1');
  const waiting = wait('m1');
  await ticks();
  expect(waiting.isOver).toBe(false);
  end('m1');
  await ticks();
  expect(waiting.isOver).toBe(true);
});

it('and not for the answer of another call', async () => {
  const { filings, filed, wait } = start();
  underWay(filings, filed, 'other');
  const waiting = wait('m1');
  await ticks();
  expect(waiting.isOver).toBe(true);
});

it('nor for one whose id is not known yet, once its own is filed', async () => {
  const { filings, filed, wait } = start();
  underWay(filings, filed);
  const end = underWay(filings, filed, 'm1');
  const waiting = wait('m1');
  end('m1');
  await ticks();
  expect(waiting.isOver).toBe(true);
});

it('and never for longer than a second', async () => {
  const { filings, clock, filed, wait } = start();
  underWay(filings, filed);
  const waiting = wait('m1');
  clock.advance(999);
  await ticks();
  expect(waiting.isOver).toBe(false);
  clock.advance(1);
  await ticks();
  expect(waiting.isOver).toBe(true);
  expect(clock.nextMs).toBeUndefined();
});
