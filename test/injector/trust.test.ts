import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';

import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';

import type { Options } from '../../src/options.js';
import { lab, livingProcesses, Folder } from '../servers/support/lab.js';
import { ManualClock } from '../servers/support/manual-clock.js';
import { MODEL, startHost, type TestHost } from '../support/host.js';

let folder: Folder;
let pins: string;

beforeEach(() => {
  folder = new Folder();
  pins = folder.file('pins.json');
});

afterEach(() => folder[Symbol.dispose]());

afterAll(() => expect(livingProcesses()).toEqual([]));

type Turn = { role: 'user' | 'assistant'; content: string };

/** A host's history: each turn adds a user message and an answer. */
class Chat {
  readonly #host: TestHost;
  readonly #messages: Turn[] = [];

  constructor(host: TestHost) {
    this.#host = host;
  }

  /** @returns what the newest message carries, and what the report says of the server */
  async turn(
    id = 'docs',
  ): Promise<{ block: string; outcome: string | undefined; change: string | null | undefined }> {
    this.#messages.push({ role: 'user', content: `turn ${this.#messages.length}` });
    const request = { model: MODEL, messages: [...this.#messages] };
    const prepared = await this.#host.conversation.prepare(request);
    await prepared.commit();
    const content: unknown = prepared.request.messages.at(-1)?.content;
    this.#messages.push({ role: 'assistant', content: 'ok' });
    const server = prepared.report.servers.find((candidate) => candidate.id === id);
    const block = Array.isArray(content) ? JSON.stringify(content[0]) : '';
    return { block, outcome: server?.outcome, change: server?.change };
  }
}

async function start(
  options: Options,
  environment?: Record<string, string>,
): Promise<{ host: TestHost; chat: Chat }> {
  const host = await startHost(options, environment);
  return { host, chat: new Chat(host) };
}

const eventsOf = (host: TestHost, event: string) => host.log.filter((line) => line.event === event);

/** A server that says `Say 1`, then `Say 2`, with each start. */
const changing = () => lab({ text: 'Say', numbered: true, journal: folder.file('journal') });

test('rug-pull: approved, changed, withheld with the diff, approved again, told as changed', async () => {
  const { host, chat } = await start({ servers: { docs: changing() }, policy: 'pinned', pins });
  const { injector } = host;
  expect(await chat.turn()).toMatchObject({ block: '', outcome: 'withheld' });
  expect(eventsOf(host, 'instructions-withheld')).toMatchObject([
    { level: 'warn', server: 'docs', reason: 'new', policy: 'pinned', chars: 5 },
  ]);

  const first = await injector.review('docs');
  expect(first).toMatchObject({ text: 'Say 1', state: 'new', withheld: true, approvedSha256: undefined });
  expect(first.diff).toBeUndefined();
  await injector.approve('docs', first.sha256!);
  const told = await chat.turn();
  expect(told).toMatchObject({ outcome: 'told', change: 'added' });
  expect(told.block).toContain('Say 1');

  await injector.connections.reconnect('docs');
  const after = await chat.turn();
  expect(after).toMatchObject({ outcome: 'withheld', change: 'removed' });
  expect(after.block).not.toContain('Say 2');
  expect(eventsOf(host, 'instructions-withheld').at(-1)).toMatchObject({
    reason: 'changed',
    pinnedSha256: first.sha256!.slice(0, 12),
  });

  const second = await injector.review('docs');
  expect(second).toMatchObject({
    text: 'Say 2',
    state: 'changed',
    withheld: true,
    approvedSha256: first.sha256,
    approvedText: 'Say 1',
    diff: ['@@ -1,1 +1,1 @@', '-Say 1', '+Say 2'],
  });
  await expect(injector.approve('docs', first.sha256!)).rejects.toMatchObject({ code: 'STALE_APPROVAL' });
  await injector.approve('docs', second.sha256!);
  const again = await chat.turn();
  expect(again).toMatchObject({ outcome: 'told', change: 'changed' });
  expect(again.block).toContain('Say 2');
  expect(await injector.review('docs')).toMatchObject({
    state: 'approved',
    diff: undefined,
    withheld: false,
  });
  expect(eventsOf(host, 'instructions-approved')).toMatchObject([
    { reason: 'approval' },
    { reason: 'approval' },
  ]);
  // Each text was withheld once in the log, however many requests asked.
  expect(eventsOf(host, 'instructions-withheld')).toHaveLength(2);
});

test('what one process approved counts in the next, with the text to compare with', async () => {
  const { host } = await start({ servers: { docs: changing() }, policy: 'pinned', pins });
  await host.injector.ready();
  const { sha256 } = await host.injector.review('docs');
  await host.injector.approve('docs', sha256!);
  await host.injector.close();
  expect(JSON.parse(readFileSync(pins, 'utf8'))).toMatchObject({
    version: 1,
    pins: [{ texts: [{ server: 'docs', era: 'modern', sha256, lines: ['Say 1'] }] }],
  });

  // The id is another one, which decides nothing: pins know how a server is reached.
  const next = await start({ servers: { other: changing() }, policy: 'pinned', pins });
  expect(await next.chat.turn('other')).toMatchObject({ outcome: 'withheld' });
  expect(await next.host.injector.review('other')).toMatchObject({
    state: 'changed',
    approvedText: 'Say 1',
    diff: ['@@ -1,1 +1,1 @@', '-Say 1', '+Say 2'],
  });
});

test('a running host sees what a person approves, and takes back, in the file', async () => {
  const clock = new ManualClock();
  const adopted = { getInstructions: () => 'Approve me.' };
  const open = async () => {
    const host = await startHost({ policy: 'pinned', pins, clock });
    host.injector.adopt('docs', adopted);
    return { host, chat: new Chat(host) };
  };
  const host = await open();
  expect(await host.chat.turn()).toMatchObject({ outcome: 'withheld' });

  const person = await open();
  await person.host.injector.approve('docs', (await person.host.injector.review('docs')).sha256!);
  clock.advance(1_000);
  expect(await host.chat.turn()).toMatchObject({ outcome: 'told', change: 'added' });

  writeFileSync(pins, '{"version": 1, "pins": []}');
  clock.advance(1_000);
  expect(await host.chat.turn()).toMatchObject({ outcome: 'withheld', change: 'removed' });
});

test('a server that is reached as another one is cannot go back to a text that was replaced', async () => {
  const clock = new ManualClock();
  const host = await startHost({ policy: 'pinned', pins, clock });
  const chat = new Chat(host);
  const texts = { a: 'One.', b: 'One.' };
  const identity = 'the same command';
  host.injector.adopt('a', { getInstructions: () => texts.a }, { identity });
  host.injector.adopt('b', { getInstructions: () => texts.b }, { identity });
  const approveNow = async (id: string) =>
    await host.injector.approve(id, (await host.injector.review(id)).sha256!);
  await approveNow('a');
  expect(await chat.turn('b')).toMatchObject({ outcome: 'told' });
  texts.b = 'Two.';
  expect(await chat.turn('b')).toMatchObject({ outcome: 'withheld' });
  await approveNow('b');
  expect(await chat.turn('b')).toMatchObject({ outcome: 'told' });
  texts.b = 'One.';
  expect(await chat.turn('b')).toMatchObject({ outcome: 'withheld', change: 'removed' });
  expect(await host.injector.review('b')).toMatchObject({ state: 'changed', approvedText: 'Two.' });
});

test('the texts of both handshakes stand under one pin, and count in either', async () => {
  const script = { discoverText: 'For the new.', initializeText: 'For the old.' };
  const open = (protocol: 'auto' | 'legacy') =>
    start({ servers: { docs: lab(script) }, protocol, policy: 'pinned', pins });
  const modern = await open('auto');
  await modern.chat.turn();
  await modern.host.injector.approve('docs', (await modern.host.injector.review('docs')).sha256!);
  const legacy = await open('legacy');
  expect(await legacy.chat.turn()).toMatchObject({ outcome: 'withheld' });
  const review = await legacy.host.injector.review('docs');
  expect(review).toMatchObject({ era: 'legacy', state: 'changed', approvedText: 'For the new.' });
  await legacy.host.injector.approve('docs', review.sha256!);
  expect(await legacy.chat.turn()).toMatchObject({ outcome: 'told' });
  expect(await (await open('auto')).chat.turn()).toMatchObject({ outcome: 'told' });
  const file: { pins: { texts: { era: string }[] }[] } = JSON.parse(readFileSync(pins, 'utf8'));
  expect(file.pins.map(({ texts }) => texts.map(({ era }) => era))).toEqual([['legacy', 'modern']]);
});

describe('a pin file that cannot be used', () => {
  test.each(['pinned', 'first-use'] as const)('withholds everything under %s', async (policy) => {
    writeFileSync(pins, '<<<<<<< HEAD\n{"version": 1}');
    const { host, chat } = await start({ servers: { docs: lab({ text: 'Hello.' }) }, policy, pins });
    expect(await chat.turn()).toMatchObject({ block: '', outcome: 'withheld' });
    expect(eventsOf(host, 'pins-failed')).toMatchObject([
      { level: 'error', reason: 'not-read', code: 'not-json' },
    ]);
    expect(eventsOf(host, 'instructions-withheld')).toMatchObject([{ reason: 'pins-failed' }]);
    const review = await host.injector.review('docs');
    expect(review).toMatchObject({ state: 'pins-failed', withheld: true });
    // It is a person's work that may still be saved: never overwritten.
    await expect(host.injector.approve('docs', review.sha256!)).rejects.toMatchObject({
      code: 'PINS_FAILED',
      message: 'approve "docs": expected a pin file that can be read and written, got not-json',
    });
    expect(readFileSync(pins, 'utf8')).toBe('<<<<<<< HEAD\n{"version": 1}');
  });

  test('spoilt while the host runs, it withholds what was told; repaired, it lets it back', async () => {
    const clock = new ManualClock();
    const host = await startHost({ policy: 'pinned', pins, clock });
    const chat = new Chat(host);
    host.injector.adopt('docs', { instructions: 'Hello.' });
    await host.injector.approve('docs', (await host.injector.review('docs')).sha256!);
    expect(await chat.turn()).toMatchObject({ outcome: 'told' });
    const good = readFileSync(pins, 'utf8');
    writeFileSync(pins, good.slice(0, -10));
    clock.advance(1_000);
    expect(await chat.turn()).toMatchObject({ outcome: 'withheld', change: 'removed' });
    writeFileSync(pins, good);
    clock.advance(1_000);
    expect(await chat.turn()).toMatchObject({ outcome: 'told', change: 'restored' });
  });

  test('is of no concern where the policy asks no pins', async () => {
    writeFileSync(pins, 'no JSON');
    const { host, chat } = await start({ servers: { docs: lab({ text: 'Hello.' }) }, pins });
    expect(await chat.turn()).toMatchObject({ outcome: 'told' });
    expect(eventsOf(host, 'pins-failed')).toEqual([]);
  });

  test('missing is not unreadable: nothing is approved yet, and approving makes it', async () => {
    const { host, chat } = await start({
      servers: { docs: lab({ text: 'Hello.' }) },
      policy: 'pinned',
      pins,
    });
    expect(await chat.turn()).toMatchObject({ outcome: 'withheld' });
    expect(eventsOf(host, 'pins-failed')).toEqual([]);
    expect(existsSync(pins)).toBe(false);
    await host.injector.approve('docs', (await host.injector.review('docs')).sha256!);
    expect(existsSync(pins)).toBe(true);
  });

  test('read-only: what it approves counts, and nothing can be added', async () => {
    const texts = { docs: 'Hello.', late: 'Too late.' };
    const clock = new ManualClock();
    const host = await startHost({ policy: 'first-use', pins, clock });
    const chat = new Chat(host);
    host.injector.adopt('docs', { instructions: texts.docs });
    expect(await chat.turn()).toMatchObject({ outcome: 'told' });
    chmodSync(pins, 0o444);
    const before = readFileSync(pins, 'utf8');
    host.injector.adopt('late', { instructions: texts.late });
    expect(await chat.turn('late')).toMatchObject({ outcome: 'withheld' });
    expect(eventsOf(host, 'pins-failed')).toMatchObject([{ reason: 'not-saved', code: 'read-only' }]);
    expect(eventsOf(host, 'instructions-withheld')).toMatchObject([
      { server: 'late', reason: 'pin-not-saved' },
    ]);
    expect(await chat.turn('docs')).toMatchObject({ outcome: 'told' });
    const { sha256 } = await host.injector.review('late');
    await expect(host.injector.approve('late', sha256!)).rejects.toMatchObject({ code: 'PINS_FAILED' });
    expect(readFileSync(pins, 'utf8')).toBe(before);
    // Once it can be written, the first use is tried again.
    chmodSync(pins, 0o644);
    clock.advance(30_000);
    expect(await chat.turn('late')).toMatchObject({ outcome: 'told', change: 'added' });
  });
});

describe('first use', () => {
  test.each([true, false])('pins the first text and withholds another (file: %s)', async (hasFile) => {
    const options: Options = { servers: { docs: changing() }, policy: 'first-use' };
    const { host, chat } = await start(hasFile ? { ...options, pins } : options);
    expect(await chat.turn()).toMatchObject({ outcome: 'told', change: 'added' });
    expect(eventsOf(host, 'instructions-approved')).toMatchObject([{ server: 'docs', reason: 'first-use' }]);
    expect(existsSync(pins)).toBe(hasFile);
    await host.injector.connections.reconnect('docs');
    expect(await chat.turn()).toMatchObject({ outcome: 'withheld', change: 'removed' });
    expect(eventsOf(host, 'instructions-withheld')).toMatchObject([{ reason: 'changed' }]);
  });

  test('servers that differ in the values of their variables only are each seen for the first time', async () => {
    const servers = { a: lab({ text: 'One.' }), b: lab({ text: 'Two.' }) };
    const { host, chat } = await start({ servers, policy: 'first-use', pins });
    await chat.turn('a');
    expect(host.reports.at(-1)?.servers.map(({ outcome }) => outcome)).toEqual(['told', 'told']);
    // One of them under another id, and with another text: that is a change.
    const next = await start({
      servers: { b: servers.b, c: lab({ text: 'Three.' }) },
      policy: 'first-use',
      pins,
    });
    expect(await next.chat.turn('c')).toMatchObject({ outcome: 'withheld' });
  });

  test.each([true, false])(
    'a server whose first text another one had already is held to it (file: %s)',
    async (hasFile) => {
      const clock = new ManualClock();
      const host = await startHost({ policy: 'first-use', clock, ...(hasFile ? { pins } : {}) });
      const chat = new Chat(host);
      const texts = { a: 'One.', b: 'One.' };
      const identity = 'the same command';
      host.injector.adopt('a', { getInstructions: () => texts.a }, { identity });
      expect(await chat.turn('a')).toMatchObject({ outcome: 'told' });
      host.injector.adopt('b', { getInstructions: () => texts.b }, { identity });
      expect(await chat.turn('b')).toMatchObject({ outcome: 'told' });
      texts.b = 'Two.';
      expect(await chat.turn('b')).toMatchObject({ outcome: 'withheld', change: 'removed' });
    },
  );

  test('an entry that is deleted is a first use again; the policy or a setting takes a text back', async () => {
    const clock = new ManualClock();
    const first = await startHost({ policy: 'first-use', pins, clock });
    const chat = new Chat(first);
    first.injector.adopt('docs', { instructions: 'Hello.' });
    expect(await chat.turn()).toMatchObject({ outcome: 'told' });
    writeFileSync(pins, '{"version": 1, "pins": []}');
    clock.advance(1_000);
    await chat.turn();
    expect(readFileSync(pins, 'utf8')).toContain('Hello.');

    writeFileSync(pins, '{"version": 1, "pins": []}');
    const pinned = await startHost({ policy: 'pinned', pins });
    pinned.injector.adopt('docs', { instructions: 'Hello.' });
    expect(await new Chat(pinned).turn()).toMatchObject({ outcome: 'withheld' });
    const off = await startHost({ policy: 'first-use', pins });
    off.injector.adopt('docs', { instructions: 'Hello.' }, { instructions: false });
    expect(await new Chat(off).turn()).toMatchObject({ outcome: 'off' });
    expect(readFileSync(pins, 'utf8')).not.toContain('Hello.');
  });

  test('by the other handshake a second text is no first use', async () => {
    const script = { discoverText: 'For the new.', initializeText: 'Another.' };
    const open = (protocol: 'auto' | 'legacy') =>
      start({ servers: { docs: lab(script) }, protocol, policy: 'first-use', pins });
    expect(await (await open('auto')).chat.turn()).toMatchObject({ outcome: 'told' });
    expect(await (await open('legacy')).chat.turn()).toMatchObject({ outcome: 'withheld' });
  });

  test('of two processes with two texts, one is first', async () => {
    const hosts = await Promise.all(
      ['One.', 'Two.'].map(async (instructions) => {
        const { host, chat } = await start({ policy: 'first-use', pins });
        host.injector.adopt('docs', { instructions });
        return chat;
      }),
    );
    const outcomes = (await Promise.all(hosts.map((chat) => chat.turn()))).map(({ outcome }) => outcome);
    expect(new Set(outcomes)).toEqual(new Set(['told', 'withheld']));
  });
});

test('many approvals at once are all kept', async () => {
  const { host } = await start({ policy: 'pinned', pins });
  const ids = Array.from({ length: 10 }, (_, index) => `server-${index}`);
  for (const id of ids) host.injector.adopt(id, { instructions: `Text of ${id}.` });
  await Promise.all(
    ids.map(async (id) => await host.injector.approve(id, (await host.injector.review(id)).sha256!)),
  );
  const file: { pins: { texts: { server: string }[] }[] } = JSON.parse(readFileSync(pins, 'utf8'));
  expect(file.pins.map(({ texts }) => texts[0]?.server)).toEqual(ids);
});

test('pins given as a record: by identity, whatever the case of the digits', async () => {
  const first = await start({ servers: { docs: lab({ text: 'Hello.' }) } });
  await first.host.injector.ready();
  const { identity, sha256 } = await first.host.injector.review('docs');
  const { chat, host } = await start({
    servers: {
      docs: lab({ text: 'Hello.' }),
      same: lab({ text: 'Hello.' }),
      more: lab({ text: 'Hello.' }, { cwd: '/' }),
    },
    policy: 'pinned',
    pins: { [identity]: sha256!.toUpperCase() },
  });
  expect(await chat.turn('docs')).toMatchObject({ outcome: 'told' });
  expect(host.reports.at(-1)?.withheld).toEqual(['more']);
});

test('the host’s own text needs nobody’s approval, and cannot be approved', async () => {
  const { host, chat } = await start({
    servers: { docs: { ...lab({ text: 'Theirs.' }), instructions: 'Ours.' } },
    policy: 'pinned',
    pins,
  });
  const { block, outcome } = await chat.turn();
  expect(outcome).toBe('told');
  expect(block).toContain('Ours.');
  const review = await host.injector.review('docs');
  expect(review).toMatchObject({ source: 'override', state: undefined });
  await expect(host.injector.approve('docs', review.sha256!)).rejects.toMatchObject({
    code: 'STALE_APPROVAL',
  });
});

test('a hash is the same in either case', async () => {
  const { host } = await start({ policy: 'pinned', pins });
  host.injector.adopt('docs', { instructions: 'Hello.' });
  const { sha256 } = await host.injector.review('docs');
  await host.injector.approve('docs', sha256!.toUpperCase());
  expect(await host.injector.review('docs')).toMatchObject({ state: 'approved' });
});

test('a lock that stays: the message says what to do', async () => {
  writeFileSync(`${pins}.lock`, '');
  const { host } = await start({ policy: 'pinned', pins });
  host.injector.adopt('docs', { instructions: 'Hello.' });
  const { sha256 } = await host.injector.review('docs');
  await expect(host.injector.approve('docs', sha256!)).rejects.toMatchObject({
    message: expect.stringContaining('locked; when no other process is writing it, delete the') as string,
  });
});

test('a wrong id or hash is the caller’s mistake, and no message holds what a server said', async () => {
  const { host } = await start({ policy: 'pinned' });
  host.injector.adopt('docs', { instructions: 'S3CRET' });
  host.injector.adopt('silent', { instructions: undefined });
  await expect(host.injector.review('nobody')).rejects.toMatchObject({ code: 'UNKNOWN_SERVER' });
  await expect(host.injector.approve('nobody', 'a'.repeat(64))).rejects.toMatchObject({
    code: 'UNKNOWN_SERVER',
  });
  await expect(host.injector.approve('docs', 'a'.repeat(64))).rejects.toMatchObject({
    code: 'STALE_APPROVAL',
  });
  await expect(host.injector.approve('silent', 'a'.repeat(64))).rejects.toThrow('(none)');
  await expect(host.injector.approve('docs', undefined as never)).rejects.toMatchObject({
    code: 'STALE_APPROVAL',
  });
});
