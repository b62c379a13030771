import { describe, expect, it } from 'vitest';
import { BlockDigests } from '../../src/formats/block-digests.js';
import { createInjector } from '../../src/index.js';
import type { Conversation } from '../../src/injector.js';
import type { MessagesMessage } from '../../src/formats/anthropic-messages.js';
import { keepLog } from '../support/host.js';

function begin(): Conversation {
  const injector = createInjector({ logger: keepLog().logger });
  injector.adopt('lab', { instructions: 'LAB' });
  return injector.conversation();
}

const cycle: Record<string, unknown> = { role: 'user' };
cycle['content'] = [cycle, null];
const user = (content: string): MessagesMessage => ({ role: 'user', content });
const answer: MessagesMessage = { role: 'assistant', content: 'ok' };

const hole: unknown[] = [];
hole.length = 2;
hole[1] = { type: 'text', text: 'a' };

const odd: readonly unknown[] = [
  null,
  undefined,
  5,
  'text',
  [],
  {},
  { role: 5, content: 'a' },
  { role: 'user' },
  { role: 'user', content: null },
  { role: 'user', content: 5 },
  { role: 'user', content: {} },
  { role: 'user', content: [null] },
  { role: 'user', content: [{ type: 'text', text: 'a' }, null] },
  { role: 'user', content: ['a', 5] },
  { role: 'user', content: 5n },
  { role: 'assistant' },
  { role: 'assistant', content: null },
  { role: 'assistant', content: [null, { type: 'text', text: 'a' }] },
  cycle,
  // A hole.
  { role: 'assistant', content: hole },
  new (class Message {
    readonly content = 'a';
    get role(): string {
      return 'user';
    }
  })(),
  { role: 'user', content: 'a', secret: 's', toJSON: () => ({ role: 'user', content: 'a' }) },
];

/** What the types do not allow, and JavaScript does. */
const untyped = (message: unknown): MessagesMessage => message as MessagesMessage;

describe('a message of no known kind', () => {
  it.each(odd.map((message) => [message]))(
    'stays what it is, and the others carry what they carried: %#',
    async (given) => {
      const message = untyped(given);
      const conversation = begin();
      const { request: first } = await conversation.prepare({ messages: [user('a')] });
      const block = first.messages[0];
      expect(block?.content).toHaveLength(2);
      for (const messages of [
        [user('a'), message],
        [user('a'), message, user('b')],
        [user('a'), answer, message, answer, user('b')],
        [user('a'), answer, message, answer, user('b')],
      ]) {
        const { request, report } = await conversation.prepare({ messages });
        expect(report.reason).not.toBe('history-changed');
        expect(request.messages).toEqual([block, ...messages.slice(1)]);
        expect(request.messages[messages.indexOf(message)]).toBe(message);
        expect(conversation.strip(request.messages)).toEqual([
          { role: 'user', content: [{ type: 'text', text: 'a' }] },
          ...messages.slice(1),
        ]);
      }
    },
  );

  it.each(odd.map((message) => [message]))(
    'is no place for a block, and what follows it is one: %#',
    async (given) => {
      const message = untyped(given);
      const { request: alone } = await begin().prepare({ messages: [message] });
      expect(alone.messages).toEqual([message]);
      const { request, report } = await begin().prepare({ messages: [message, answer, user('b')] });
      expect(report.reason).toBe('placed');
      expect(request.messages[0]).toBe(message);
      expect(request.messages[2]?.content).toHaveLength(2);
    },
  );

  it('is told from another one', async () => {
    const conversation = begin();
    const history = (content: unknown): MessagesMessage[] => [
      untyped({ role: 'user', content }),
      answer,
      user('b'),
    ];
    await conversation.prepare({ messages: history(1) });
    const { report } = await conversation.prepare({ messages: [...history(2), answer, user('c')] });
    expect(report.reason).toBe('history-changed');
  });
});

it('a request that is no plain data goes out as it came', async () => {
  class Request {
    readonly messages = [user('a')];
    get model(): string {
      return 'm';
    }
  }
  const request = new Request();
  const prepared = await begin().prepare(request);
  expect(prepared.request).toBe(request);
  expect(prepared.report.reason).toBe('no-place');
});

describe('the digest of all of a block', () => {
  it('is there for what is no JSON', () => {
    expect(new BlockDigests().ofAll(cycle)).toEqual(new BlockDigests().ofAll({ content: 5n }));
  });
});
