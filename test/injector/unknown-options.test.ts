import { readFileSync } from 'node:fs';

import { expect, test } from 'vitest';

import { hostFields } from '../../src/servers/known-fields.js';
import { startAdapterHost, type AdapterHost } from '../adapters/support/adapter-host.js';

const NOWHERE = 'http://127.0.0.1:9/mcp';

/** The names of all events, one list for each. */
function told({ log }: Pick<AdapterHost, 'log'>): readonly unknown[] {
  return log.filter(({ event }) => event === 'option-unknown').map(({ options }) => options);
}

test('of the injector and its servers, with where they stood', () => {
  const host = startAdapterHost({
    maxLength: 5,
    servers: {
      docs: { url: NOWHERE, arg: [], instructions: { mode: 'off', maxLength: 5 } },
      tickets: { url: NOWHERE, Headers: {} },
      right: { url: NOWHERE, headers: {}, instructions: { mode: 'full', maxChars: 5 }, args: [] },
    },
  } as never);
  expect(told(host)).toEqual([
    ['maxLength'],
    ['servers.docs.arg', 'servers.docs.instructions.maxLength', 'servers.tickets.Headers'],
  ]);
});

test('each is told once, however often it is passed', () => {
  const host = startAdapterHost();
  const { connections } = host.injector;
  for (let time = 0; time < 3; time += 1) {
    connections.set({ docs: { url: NOWHERE, arg: 1 } } as never);
    connections.add('docs', { url: NOWHERE, arg: 1, heders: {} } as never);
    host.injector.conversation('chat', { server: ['docs'] } as never);
  }
  expect(told(host)).toEqual([['servers.docs.arg'], ['servers.docs.heders'], ['conversation.server']]);
});

test('of every call that takes options', async () => {
  const host = startAdapterHost();
  const { injector } = host;
  injector.conversation('chat', { server: ['docs'] } as never);
  injector.adopt('docs', { instructions: 'Docs.' }, { maxLength: 5, instructions: { mod: 'off' } } as never);
  await injector.ready({ wait: 5 } as never);
  await host.conversation.prepare({ messages: [] }, { recrod: false } as never);
  expect(told(host)).toEqual([
    ['conversation.server'],
    ['adopt.docs.maxLength', 'adopt.docs.instructions.mod'],
    ['ready.wait'],
    ['prepare.recrod'],
  ]);
});

test('nothing is told of options that there are', async () => {
  const host = startAdapterHost({
    servers: {
      docs: {
        url: NOWHERE,
        type: 'http',
        protocol: 'auto',
        connectTimeoutMs: 5,
        required: false,
        disabled: false,
        maxChars: 1,
        maxTokens: 1,
        fetch,
      },
    },
  });
  const { injector } = host;
  const options = { identity: 'x', instructions: true, maxChars: 5, maxTokens: 5 };
  injector.adopt('a', { instructions: 'x' }, options);
  const ledger = host.conversation.toJSON();
  injector.conversation('chat', { servers: ['docs'], ledger });
  await injector.ready({ waitMs: 0, signal: AbortSignal.timeout(5) });
  await host.conversation.prepare({ messages: [] }, { signal: null, record: false });
  for (const none of [undefined, null]) {
    injector.conversation('chat', none as never);
    await injector.ready(none as never);
    await host.conversation.prepare({ messages: [] }, none as never);
  }
  expect(told(host)).toEqual([]);
});

test('what hosts keep in an entry for themselves is no misspelling', () => {
  const fields = Object.fromEntries(hostFields.map((field) => [field, true]));
  const host = startAdapterHost({ servers: { docs: { url: NOWHERE, ...fields } } });
  expect(told(host)).toEqual([]);
  // It means as little in the options of a source that a host adopts by hand.
  host.injector.adopt('a', { instructions: 'x' }, { timeout: 5 } as never);
  expect(told(host)).toEqual([['adopt.a.timeout']]);
});

test('docs/options.md lists what hosts keep', () => {
  const page = readFileSync(new URL('../../docs/options.md', import.meta.url), 'utf8');
  expect(page).toContain(`\n${hostFields.map((field) => `\`${field}\``).join(', ')}.\n`);
});

test('all of many are named, a few at a time, and a host that makes up names is not listened to for ever', () => {
  const host = startAdapterHost();
  const fields = (count: number, start: string): object =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`${start}${index}`, 1]));
  host.injector.conversation('chat', fields(45, 'a'));
  expect(told(host).map((names) => (names as unknown[]).length)).toEqual([20, 20, 5]);
  host.injector.conversation('chat', fields(5_000, 'b'));
  expect(told(host).flat()).toHaveLength(1_000);
});

test('a long id does not hide the field, and a hostile one is made safe to print', () => {
  const host = startAdapterHost();
  host.injector.connections.set({ ['x'.repeat(100)]: { url: NOWHERE, arg: 1 } } as never);
  host.injector.connections.add('a\u001b[31m', { url: NOWHERE, arg: 1 } as never);
  expect(told(host)).toEqual([
    [`servers.${'x'.repeat(32)}….arg`],
    [expect.stringMatching(/^servers\.a\\u\{1b\}\[31m\.arg$/)],
  ]);
});
