import { afterEach, describe, expect, it } from 'vitest';

import { cutErrorBody } from '../../src/servers/error-body.js';
import { readReply } from '../../src/servers/http-reply.js';
import { limitBody } from '../../src/servers/limited-body.js';
import type { HttpServerConfig } from '../../src/servers/server-config.js';
import { LabHttp, type LabHttpScript } from '../fixtures/servers/lab-http.js';
import { manage, snapshot } from './support/lab.js';
import { ManualClock } from './support/manual-clock.js';

const open: Array<() => Promise<void>> = [];

afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

async function begin(
  script: LabHttpScript,
  extra: Partial<HttpServerConfig> = {},
): Promise<{
  readonly lab: LabHttp;
  readonly clock: ManualClock;
  readonly manager: ReturnType<typeof manage>['manager'];
}> {
  const lab = await LabHttp.start(script);
  const clock = new ManualClock();
  const { manager } = manage({ clock });
  open.push(
    () => manager.close(),
    () => lab.close(),
  );
  manager.add('one', { url: lab.url, ...extra });
  return { lab, clock, manager };
}

describe('odd answers that the SDK understands', () => {
  it.each(['modern', 'legacy'] as const)('any reason phrase (%s)', async (era) => {
    const { manager } = await begin({ text: 'x', eras: [era], reasonPhrase: 'Très bien ✓' });
    await manager.whenSettled();
    expect(snapshot(manager, 'one')).toMatchObject({
      state: { state: 'connected', era },
      record: { value: 'x' },
    });
    expect(await manager.refresh('one')).toMatchObject({ value: 'x' });
  });

  it('a reason phrase of a refreshed session', async () => {
    const { manager } = await begin({
      text: 'x',
      eras: ['legacy'],
      sessionFault: { status: 404 },
      reasonPhrase: '✓',
    });
    await manager.whenSettled();
    expect(await manager.refresh('one')).toMatchObject({ value: 'x' });
  });

  it('ids that come back as strings', async () => {
    const { manager } = await begin({ text: 'x', eras: ['legacy'], stringIds: true });
    await manager.whenSettled();
    expect(snapshot(manager, 'one')).toMatchObject({
      state: { state: 'connected', era: 'legacy' },
      record: { value: 'x' },
    });
    expect(await manager.refresh('one')).toMatchObject({ value: 'x' });
  });
});

it('a late answer over an earlier connection changes nothing', async () => {
  let release: () => void = () => {};
  let held: Promise<void> | undefined;
  const deaf: typeof fetch = async (url, init) => {
    const { signal: _, ...others } = init ?? {};
    const wait = held;
    held = undefined;
    const response = await fetch(url, others);
    await wait;
    return response;
  };
  const { lab, manager } = await begin({ text: 'text', numbered: true, ttlMs: 60_000 }, { fetch: deaf });
  await manager.whenSettled();
  held = new Promise((resolve) => {
    release = resolve;
  });
  const refreshing = manager.refresh('one');
  await expect.poll(() => lab.count('server/discover')).toBe(2);
  await manager.reconnect('one');
  expect(snapshot(manager, 'one').record?.value).toBe('text 3');
  const heard: unknown[] = [];
  manager.on('instructions', ({ record }) => heard.push(record.value));
  release();
  await refreshing;
  // The answer is there; a round trip later it would have been taken.
  await manager.client('one')?.listTools();
  expect(heard).toEqual([]);
  expect(snapshot(manager, 'one').record?.value).toBe('text 3');
});

describe('a refusal whose body never ends', () => {
  it.each([401, 403])('HTTP %i counts although nobody waits for the rest', async (status) => {
    const { lab, clock, manager } = await begin(
      { faults: { '*': { status, isEndless: true } } },
      { protocol: 'legacy' },
    );
    const settled = manager.whenSettled();
    await expect.poll(() => lab.requests.length).toBe(1);
    // The time that an error's body is given.
    await expect.poll(() => clock.nextMs).toBeLessThanOrEqual(2_000);
    clock.advance(2_000);
    await settled;
    expect(manager.status('one')?.state).toMatchObject({
      state: 'needs-auth',
      reason: { kind: 'unauthorized', status },
    });
    expect(lab.requests).toHaveLength(1);
  });

  it.each([
    [401, 'needs-auth', 'unauthorized'],
    [500, 'unavailable', 'http-status'],
  ])('HTTP %i counts, too, when the time is over before', async (status, state, kind) => {
    const { lab, clock, manager } = await begin(
      { faults: { '*': { status, isEndless: true } } },
      { connectTimeoutMs: 1_000 },
    );
    const settled = manager.whenSettled();
    await expect.poll(() => lab.requests.length).toBe(1);
    await new Promise((resolve) => {
      setTimeout(resolve, 50);
    });
    clock.advance(1_000);
    await settled;
    expect(manager.status('one')?.state).toMatchObject({ state, reason: { kind, status } });
  });
});

it('a status of an earlier request says nothing of one that hangs', async () => {
  const { lab, clock, manager } = await begin({
    faults: { 'server/discover': { status: 404 }, initialize: 'hang' },
  });
  const settled = manager.whenSettled();
  await expect.poll(() => lab.count('initialize')).toBe(1);
  clock.advance(30_000);
  await settled;
  expect(manager.status('one')?.state).toMatchObject({ reason: { kind: 'timed-out', status: undefined } });
});

describe('cutErrorBody', () => {
  it('ends a body that never does', async () => {
    const clock = new ManualClock();
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode('why')),
    });
    const reader = cutErrorBody(new Response(body, { status: 401 }), clock).body?.getReader();
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('why');
    const rest = reader?.read();
    clock.advance(2_000);
    expect(await rest).toMatchObject({ done: true });
    expect(clock.nextMs).toBeUndefined();
  });

  it('cuts off one that goes on and on, and lets go of it', async () => {
    let isLeft = false;
    const clock = new ManualClock();
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(10_000)),
      cancel: () => {
        isLeft = true;
      },
    });
    const bytes = await cutErrorBody(new Response(body, { status: 500 }), clock).arrayBuffer();
    expect(bytes.byteLength).toBe(64 * 1024);
    expect(isLeft).toBe(true);
    expect(clock.nextMs).toBeUndefined();
  });

  it('leaves one alone that ends, and passes on how one breaks off', async () => {
    const clock = new ManualClock();
    const whole = new Response('why', { status: 400, headers: { a: 'b' } });
    const cut = cutErrorBody(whole, clock);
    expect([await cut.text(), cut.status, cut.headers.get('a'), clock.nextMs]).toEqual([
      'why',
      400,
      'b',
      undefined,
    ]);
    const broken = new ReadableStream({ pull: (controller) => controller.error(new Error('broken')) });
    await expect(cutErrorBody(new Response(broken, { status: 500 }), clock).text()).rejects.toThrow('broken');
    expect(clock.nextMs).toBeUndefined();
  });
});

it('limitBody drops a reason phrase that no Response can be made with', async () => {
  const odd = Object.defineProperty(new Response('x'), 'statusText', { value: '✓' });
  expect(await limitBody(odd, { maxBytes: 1, onOverflow: () => {} }).text()).toBe('x');
});

it('readReply reads the same however an event stream is cut, and leaves it', async () => {
  const text = ': é\r\ndata: {"id":"1",\r\ndata:"result":{"a":"é"}}\r\n\r\n';
  const bytes = new TextEncoder().encode(text);
  for (let size = 1; size <= bytes.length; size += 1) {
    let isLeft = false;
    let start = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (start < bytes.length) controller.enqueue(bytes.subarray(start, start + size));
        start += size;
      },
      cancel: () => {
        isLeft = true;
      },
    });
    const headers = { 'content-type': 'text/event-stream; charset=utf-8' };
    expect(await readReply(new Response(body, { headers }), 1)).toEqual({ a: 'é' });
    expect(isLeft).toBe(true);
  }
});
