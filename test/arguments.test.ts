import { afterAll, expect, onTestFinished, test, vi } from 'vitest';

import * as aiSdk from '../src/adapters/ai-sdk.js';
import * as anthropic from '../src/adapters/anthropic.js';
import * as openai from '../src/adapters/openai.js';
import { InstructionsError } from '../src/errors.js';
import * as root from '../src/index.js';
import * as testing from '../src/testing.js';
import { startAdapterHost } from './adapters/support/adapter-host.js';

vi.stubEnv('MCP_INSTRUCTIONS_LOG_LEVEL', 'silent');
afterAll(() => vi.unstubAllEnvs());

/** What a host without types may pass, by mistake or as it is not there yet. */
const ODD: readonly unknown[] = [
  undefined,
  null,
  '',
  'text',
  0,
  Number.NaN,
  true,
  {},
  [],
  [5],
  [null],
  { messages: [] },
  { messages: 5 },
  { added: [{ id: 'a', text: 5 }] },
  { added: [null], removed: 5 },
  { tokens: {}, servers: [5], pending: [], conversation: 'c' },
  { tokens: null, servers: [] },
  () => undefined,
  Symbol('text'),
  new Map(),
];

/** Calls, and gives what came out: nothing, or the error. */
async function outcome(call: () => unknown): Promise<unknown> {
  try {
    await call();
  } catch (error) {
    return error;
  }
  return undefined;
}

/** What is thrown for anything but a mistake that is explained. */
function faultIn(error: unknown): string | undefined {
  if (error === undefined) return undefined;
  if (!InstructionsError.isInstance(error))
    return error instanceof Error ? `${error.name}: ${error.message}` : typeof error;
  return /expected .*, got |no server|cannot be read/.test(error.message) ? undefined : error.message;
}

const exported: Readonly<Record<string, unknown>> = {
  ...root,
  ...anthropic,
  ...aiSdk,
  ...openai,
  ...testing,
};
const functions = Object.entries(exported).flatMap(([name, value]) =>
  typeof value === 'function' && name !== 'InstructionsError' ? [{ name, value }] : [],
);

test('there are functions to try', () => {
  expect(functions.length).toBeGreaterThan(15);
  expect(faultIn(new TypeError('x'))).toBe('TypeError: x');
  expect(faultIn(new InstructionsError('INVALID_OPTION', 'a is wrong'))).toBe('a is wrong');
});

test.each(functions)('$name explains a wrong argument, whatever it is', async ({ value }) => {
  const { conversation } = startAdapterHost();
  const call = async (...given: readonly unknown[]): Promise<unknown> =>
    await outcome(async () => {
      const made: unknown = await Reflect.apply(value, undefined, given);
      // An injector that was made all the same is to be closed.
      if (typeof made === 'object' && made !== null && 'close' in made && typeof made.close === 'function')
        onTestFinished(() => Reflect.apply(made.close as () => Promise<void>, made, []));
    });
  for (const odd of ODD) {
    expect(['first', faultIn(await call(odd))]).toEqual(['first', undefined]);
    expect(['second', faultIn(await call(conversation, odd))]).toEqual(['second', undefined]);
    expect(['third', faultIn(await call(conversation, {}, odd))]).toEqual(['third', undefined]);
  }
});

test('what hosts call on an injector and a conversation explains it, too', async () => {
  for (const odd of ODD) {
    const { injector, conversation } = startAdapterHost();
    const { connections } = injector;
    const wrong = odd as never;
    const calls: Record<string, () => unknown> = {
      adopt: () => injector.adopt(wrong, { instructions: 'x' }),
      adoptSource: () => injector.adopt('a', wrong),
      adoptOptions: () => injector.adopt('b', { instructions: 'x' }, wrong),
      remove: () => injector.remove(wrong),
      conversation: () => injector.conversation(wrong),
      conversationOptions: () => injector.conversation('c', wrong),
      audience: () => injector.conversation('c', { servers: wrong }),
      ledger: () => injector.conversation('c', { ledger: wrong }),
      ready: () => injector.ready(wrong),
      waitMs: () => injector.ready({ waitMs: wrong }),
      review: () => injector.review(wrong),
      approve: () => injector.approve(wrong, wrong),
      strip: () => conversation.strip(wrong),
      stripRequest: () => conversation.stripRequest({ messages: [] }, wrong),
      add: () => connections.add(wrong, wrong),
      addConfig: () => connections.add('s', wrong),
      set: () => connections.set(wrong),
      on: () => connections.on(wrong, wrong),
      status: () => typeof odd === 'undefined' || connections.status(wrong),
      reconnect: () => connections.reconnect(wrong),
      refresh: () => connections.refresh(wrong),
      finishAuth: () => connections.finishAuth('s', wrong),
    };
    for (const [name, call] of Object.entries(calls)) {
      expect([name, faultIn(await outcome(call))]).toEqual([name, undefined]);
    }
    // A request is no argument of that kind: whatever it is, nothing is thrown.
    for (const given of [odd, { messages: odd }]) {
      expect(await outcome(() => conversation.prepare(given))).toBeUndefined();
      expect(await outcome(() => conversation.prepare({ messages: [] }, given as never))).toBeUndefined();
    }
  }
});

test('a report that is not there yet', () => {
  const { conversation } = startAdapterHost();
  expect(() => root.formatReportLine(conversation.lastReport!)).toThrow(
    'formatReportLine: report: expected a report of a request, got undefined',
  );
});

test('a block of something that is no text', () => {
  expect(() => root.render({ added: [{ id: 'docs', text: 5 as never }] })).toThrow(
    'render: added[0].text: expected a string, got a number',
  );
  expect(() => root.render({ removed: [5 as never] })).toThrow(
    'render: removed[0]: expected an id, got a number',
  );
});
