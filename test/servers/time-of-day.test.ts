import { afterEach, describe, expect, it } from 'vitest';

import { FirstTurnWait } from '../../src/injector/first-turn-wait.js';
import { Deadline } from '../../src/servers/deadline.js';
import { LabHttp } from '../fixtures/servers/lab-http.js';
import { assistant, user } from '../support/engine.js';
import { MODEL, startHost } from '../support/host.js';
import { Folder, lab, manage, reach, snapshot } from './support/lab.js';
import { ManualClock } from './support/manual-clock.js';

const day = 86_400_000;
const steps = [
  ['back', -day],
  ['forth', day],
] as const;

const open: Array<() => Promise<void>> = [];

function start(...parameters: Parameters<typeof manage>): ReturnType<typeof manage> {
  const made = manage(...parameters);
  open.unshift(() => made.manager.close());
  return made;
}

afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

describe.each(steps)('the time of day is set %s by a day', (_name, step) => {
  it('what is left of a deadline stays', () => {
    const clock = new ManualClock();
    const deadline = new Deadline(clock, 1_000, new AbortController().signal);
    clock.advance(400);
    clock.setBy(step);
    expect(deadline.remainingMs).toBe(600);
    clock.advance(600);
    expect(deadline.expired).toBe(true);
  });

  it('the first requests wait as long as they should', async () => {
    const clock = new ManualClock();
    const settling = {
      settled: false,
      whenSettled: (signal?: AbortSignal) =>
        new Promise<void>((_, reject) => {
          signal?.addEventListener('abort', () => reject(new Error('aborted')));
        }),
    };
    const wait = new FirstTurnWait(settling, 5_000, clock);
    wait.start();
    clock.advance(2_000);
    clock.setBy(step);
    let isOver = false;
    const waiting = wait.wait().then(() => (isOver = true));
    expect(clock.nextMs).toBe(3_000);
    clock.advance(2_999);
    await Promise.resolve();
    expect(isOver).toBe(false);
    clock.advance(1);
    await waiting;
  });

  it('the pause before the next attempt stays, and its date is of the new time', async () => {
    const clock = new ManualClock();
    const { manager } = start({ clock });
    // Between the failure and the pause, while what is left of the attempt ends.
    const off = manager.on('state', ({ state }) => {
      if (state.state !== 'unavailable') return;
      off();
      clock.setBy(step);
    });
    manager.add('one', { command: 'no-such-program-here' });
    await manager.whenSettled();
    await expect.poll(() => clock.nextMs).toBeDefined();
    expect(clock.nextMs).toBeGreaterThanOrEqual(800);
    expect(clock.nextMs).toBeLessThanOrEqual(1_200);
    clock.advance(1_200);
    await expect.poll(() => manager.status('one')?.state).toMatchObject({ state: 'unavailable', attempt: 2 });
    expect(manager.status('one')?.state).toMatchObject({ since: clock.now() });
  });

  it('a lost server keeps its grace, no less and no more', async () => {
    const clock = new ManualClock();
    const { injector, conversation } = await startHost({ clock, unavailableGraceMs: 60_000 });
    let isUp = true;
    injector.adopt('docs', () => {
      if (!isUp) throw new Error('gone');
      return { instructions: 'One.' };
    });
    await (await conversation.prepare({ model: MODEL, messages: [user('q')] })).commit();
    isUp = false;
    const messages = [user('q'), assistant('a'), user('r')];
    await (await conversation.prepare({ model: MODEL, messages })).commit();
    clock.setBy(step);
    clock.advance(59_999);
    messages.push(assistant('b'), user('s'));
    const held = await conversation.prepare({ model: MODEL, messages });
    await held.commit();
    expect(held.report.reason).toBe('no-news');
    clock.advance(1);
    messages.push(assistant('c'), user('t'));
    const gone = await conversation.prepare({ model: MODEL, messages });
    expect(gone.report.servers).toMatchObject([{ id: 'docs', change: 'removed' }]);
  });

  it('a connected server that was lost, too', async () => {
    const clock = new ManualClock();
    const server = await LabHttp.start({ text: 'x' });
    const { manager } = start({ clock });
    manager.add('one', { url: server.url });
    await manager.whenSettled();
    await server.close();
    const lost = reach(manager, 'one', 'unavailable');
    await expect(manager.client('one')?.listTools()).rejects.toThrow('fetch failed');
    await lost;
    const { awaySince = Number.NaN, unavailableSince } = snapshot(manager, 'one');
    expect(unavailableSince).toBe(clock.now());
    clock.setBy(step);
    clock.advance(500);
    expect(clock.elapsed() - awaySince).toBe(500);
  });

  it('a discover reply stays valid for as long as it said', async () => {
    const clock = new ManualClock();
    const server = await LabHttp.start({ text: 'text', numbered: true, ttlMs: 60_000 });
    open.push(() => server.close());
    const { manager } = start({ clock });
    manager.add('one', { url: server.url });
    await manager.whenSettled();
    clock.setBy(step);
    clock.advance(59_999);
    await manager.reconnect('one');
    expect(snapshot(manager, 'one').record).toMatchObject({ value: 'text 1', source: 'cache' });
    clock.advance(1);
    await manager.reconnect('one');
    expect(snapshot(manager, 'one').record).toMatchObject({ value: 'text 2', source: 'discover' });
  });

  it('a legacy verdict is believed for an hour', async () => {
    using folder = new Folder();
    const clock = new ManualClock();
    const { manager } = start({ clock });
    manager.add('one', lab({ journal: folder.file('j'), eras: ['legacy'], text: 'x' }));
    await manager.whenSettled();
    const probes = (): number =>
      folder.journal('j').filter(({ method }) => method === 'server/discover').length;
    const comeBack = async (pauseMs: number): Promise<void> => {
      const lost = reach(manager, 'one', 'unavailable');
      process.kill(
        folder.journal('j').findLast(({ start: pid }) => pid !== undefined)?.start ?? 0,
        'SIGKILL',
      );
      await lost;
      const back = reach(manager, 'one', 'connected');
      clock.advance(pauseMs);
      await back;
    };
    clock.setBy(step);
    clock.advance(3_590_000);
    await comeBack(9_999);
    expect(probes()).toBe(1);
    await comeBack(9_999);
    expect(probes()).toBe(2);
  });

  it('like events are held back for a minute', async () => {
    const clock = new ManualClock();
    const { injector, log } = await startHost({ clock });
    const fail = (): void =>
      injector.adopt('docs', () => {
        throw new Error('gone');
      });
    const lose = async (): Promise<number> => {
      fail();
      await injector.conversation().prepare({ model: MODEL, messages: [user('q')] });
      return log.filter(({ event }) => event === 'server-lost').length;
    };
    expect(await lose()).toBe(1);
    clock.setBy(step);
    clock.advance(59_999);
    expect(await lose()).toBe(1);
    clock.advance(1);
    // What was held back, and the new one.
    expect(await lose()).toBe(3);
  });
});
