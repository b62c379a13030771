import { createKeyv, type default as KeyvRedis } from '@keyv/redis';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { MessagesRequest } from '../../src/formats/messages-request.js';
import { ManualClock } from '../servers/support/manual-clock.js';
import { hasRedis, startRedis, type RedisServer } from '../stores/redis-server.js';
import { assistant, user } from '../support/engine.js';
import { startHost, type TestHost } from '../support/host.js';
import { CompiledLibrary, HostProcess, type Sent } from '../support/host-process.js';
import { disagreements, prefixBreak, readRequest } from '../support/request-reader.js';

type Messages = MessagesRequest['messages'];

let library: CompiledLibrary;
let redis: RedisServer | undefined;
beforeAll(async () => {
  library = new CompiledLibrary();
  if (hasRedis) redis = await startRedis();
});
afterAll(async () => {
  library[Symbol.dispose]();
  await redis?.close();
});

if (!hasRedis) {
  console.log('The tests over Redis were left out: redis-server is not on the PATH.');
  it('Redis is there where it is required', () => {
    expect(process.env['REQUIRE_SERVICES']).not.toBe('1');
  });
}

/** An empty Redis, or an empty folder. */
async function emptyPlace(kind: string): Promise<string> {
  if (kind === 'files') {
    const folder = mkdtempSync(join(tmpdir(), 'conversations-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    return join(folder, 'ledgers');
  }
  const keyv = createKeyv(redis!.url);
  await keyv.clear();
  await keyv.disconnect();
  return redis!.url;
}

async function start(place: string): Promise<HostProcess> {
  const host = await HostProcess.start(library, place);
  onTestFinished(() => host.kill());
  return host;
}

function expectTold(sent: Sent, force: Record<string, string>): void {
  const reading = readRequest(sent.messages);
  expect(reading.faults).toEqual([]);
  expect(disagreements(reading, force)).toEqual([]);
}

const places = hasRedis ? ['Redis', 'files'] : ['files'];

describe.each(places)('host processes over %s', (kind) => {
  it('that take turns: every request goes on with the bytes of the one before', async () => {
    const place = await emptyPlace(kind);
    const hosts = [await start(place), await start(place)];
    const force: Record<string, string> = {};
    const change = async (id: string, text: string | undefined): Promise<void> => {
      if (text === undefined) delete force[id];
      else force[id] = text;
      for (const host of hosts) await (text === undefined ? host.remove(id) : host.adopt(id, text));
    };
    await change('docs', 'Docs text.');
    const history: Messages[number][] = [];
    let before: Messages = [];
    for (let turn = 0; turn < 12; turn += 1) {
      if (turn === 3) await change('late', 'Late text.');
      if (turn === 5) await change('docs', undefined);
      if (turn === 8) await change('docs', 'Docs text.');
      if (turn === 10) await change('late', 'Other text.');
      history.push(user(`question ${turn}`));
      const sent = await hosts[turn % 2]!.send(history);
      expect(prefixBreak(before, sent.messages)).toBe(-1);
      expectTold(sent, force);
      before = sent.messages;
      history.push(assistant(`answer ${turn}`));
    }
    for (const host of hosts) await host.close();
  });

  it('that write in parallel without an atomic update: what is lost is told again, and never left out', async () => {
    const place = await emptyPlace(kind);
    const hosts = [await start(place), await start(place)];
    let trunk: Messages = [];
    for (let round = 0; round < 4; round += 1) {
      const text = `Text ${round}.`;
      for (const host of hosts) await host.adopt('docs', text);
      const branches = hosts.map((_, side) => [...trunk, user(`side ${side}, round ${round}`)]);
      const sent = await Promise.all(hosts.map((host, side) => host.send(branches[side]!)));
      for (const one of sent) expectTold(one, { docs: text });
      // A process that knows only what was stored goes on with both sides.
      const third = await start(place);
      await third.adopt('docs', text);
      for (const branch of branches) {
        expectTold(await third.prepare([...branch, assistant('a'), user('go on')]), { docs: text });
      }
      await third.kill();
      trunk = [...branches[round % 2]!, assistant(`answer ${round}`)];
    }
  });

  it('killed between prepare and commit: what was committed is there, and the news is told by the next', async () => {
    const place = await emptyPlace(kind);
    const first = await start(place);
    await first.adopt('docs', 'Docs text.');
    const committed = await first.send([user('q')]);
    await first.adopt('late', 'Late text.');
    const history = [user('q'), assistant('a'), user('r')];
    expectTold(await first.prepare(history), { docs: 'Docs text.', late: 'Late text.' });
    await first.kill();

    const second = await start(place);
    await second.adopt('docs', 'Docs text.');
    await second.adopt('late', 'Other text.');
    const sent = await second.send(history);
    expect(prefixBreak(committed.messages, sent.messages)).toBe(-1);
    expectTold(sent, { docs: 'Docs text.', late: 'Other text.' });
  });

  it('killed at any moment of saving: what was committed is there, whole', async () => {
    const place = await emptyPlace(kind);
    const history: Messages[number][] = [];
    let before: Messages = [];
    for (let round = 0; round < 4; round += 1) {
      const host = await start(place);
      const text = `Text ${round}. `.repeat(100).trim();
      await host.adopt('docs', text);
      history.push(user(`question ${round}`));
      const sent = await host.send(history);
      expect(prefixBreak(before, sent.messages)).toBe(-1);
      expectTold(sent, { docs: text });
      before = sent.messages;
      history.push(assistant(`answer ${round}`));
      await host.prepare([...history, user('lost')]);
      // Not waited for: the process dies while it saves, or before.
      void host.commit().catch(() => undefined);
      await host.kill();
    }
  });
});

it('a record that another process overwrote is told again by those who do not know it', async () => {
  const stored = new Map<string, string>();
  let stale: Map<string, string> | undefined;
  const open = async (isBehind: boolean): Promise<TestHost> => {
    const host = await startHost({
      store: {
        get: (key) => (isBehind && stale !== undefined ? stale : stored).get(key),
        set: (key, value) => stored.set(key, value),
        delete: (key) => stored.delete(key),
      },
    });
    host.injector.adopt('docs', { instructions: 'Docs text.' });
    return host;
  };
  const send = async ({ conversation }: TestHost, ...messages: Messages): Promise<Sent> => {
    const prepared = await conversation.prepare({ model: 'm', messages });
    await prepared.commit();
    return { messages: prepared.request.messages, reason: prepared.report.reason };
  };
  const [left, right, third] = [await open(false), await open(true), await open(false)];
  for (const { injector } of [left, right, third]) injector.adopt('late', { instructions: 'Late text.' });
  const force = { docs: 'Docs text.', late: 'Late text.' };
  const trunk = [user('q'), assistant('a')];
  await left.injector.remove('late');
  const first = await send(left, user('q'));
  left.injector.adopt('late', { instructions: 'Late text.' });

  stale = new Map(stored);
  const lost = await send(left, ...trunk, user('left'));
  await send(right, ...trunk, user('right'));
  stale = undefined;

  const again = await send(third, ...trunk, user('left'), assistant('b'), user('on'));
  expectTold(again, force);
  expect(prefixBreak(first.messages, again.messages)).toBe(-1);
  expect(prefixBreak(lost.messages, again.messages)).toBe(2);
  // Whoever still knows the record goes with what went out last.
  const on = await send(
    left,
    ...trunk,
    user('left'),
    assistant('b'),
    user('on'),
    assistant('c'),
    user('further'),
  );
  expectTold(on, force);
  expect(prefixBreak(again.messages, on.messages)).toBe(-1);
});

describe.runIf(hasRedis)('a Redis that stops in the middle', () => {
  it('requests go on from memory, no longer than the limit, with one warning; then all is saved', async () => {
    const server = redis!;
    await emptyPlace('Redis');
    const keyv = createKeyv(server.url);
    onTestFinished(async () => {
      server.resume();
      await (keyv.store as KeyvRedis<string>).disconnect(true);
    });
    const clock = new ManualClock();
    const host = await startHost({ store: keyv, storeTimeoutMs: 700, clock });
    host.injector.adopt('docs', { instructions: 'Docs text.' });
    const history: Messages[number][] = [user('q')];
    let before = await host.conversation.prepare({ model: 'm', messages: [...history] });
    await before.commit();
    server.pause();
    for (let turn = 0; turn < 3; turn += 1) {
      if (turn === 1) host.injector.adopt('late', { instructions: 'Late text.' });
      history.push(assistant(`answer ${turn}`), user(`question ${turn}`));
      const preparing = host.conversation.prepare({ model: 'm', messages: [...history] });
      await expect.poll(() => clock.nextMs).toBe(700);
      clock.advance(700);
      const prepared = await preparing;
      expect(prefixBreak(before.request.messages, prepared.request.messages)).toBe(-1);
      // The store did not answer this request before, so it is not waited for again.
      await prepared.commit();
      before = prepared;
    }
    expect(host.log.filter(({ level }) => level !== 'info' && level !== 'debug')).toMatchObject([
      { level: 'warn', event: 'store-failed', reason: 'timed-out', timeoutMs: 700 },
    ]);
    clock.advance(700);
    server.resume();
    history.push(assistant('a'), user('after'));
    await (await host.conversation.prepare({ model: 'm', messages: [...history] })).commit();
    await host.injector.close();
    const other = await startHost({ store: keyv });
    other.injector.adopt('docs', { instructions: 'Docs text.' });
    other.injector.adopt('late', { instructions: 'Late text.' });
    const restored = await other.conversation.prepare({ model: 'm', messages: [...history] });
    expect(prefixBreak(before.request.messages, restored.request.messages)).toBe(-1);
    expect(restored.report.reason).toBe('no-news');
  });
});
