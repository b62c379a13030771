import { describe, expect, it, test } from 'vitest';
import { promptFormat } from '../../src/formats/ai-sdk-prompt.js';
import type { FormatShape } from '../../src/formats/format-shape.js';
import { defineFormat } from '../../src/formats/message-list.js';
import { chatFormat } from '../../src/formats/openai-chat.js';
import { responsesFormat } from '../../src/formats/openai-responses.js';
import type { RequestFormat } from '../../src/formats/request-format.js';
import { createInjector } from '../../src/index.js';
import type { Conversation, Injector } from '../../src/injector.js';
import { keepLog } from '../support/host.js';

interface Part {
  readonly type: string;
  readonly text?: string;
}
interface Message {
  readonly role: string;
  readonly content: string | readonly Part[];
  readonly calls?: readonly string[];
  readonly id?: unknown;
}
interface Request {
  readonly messages: readonly Message[];
}
type Shape = FormatShape<Request, Message, Part>;

const shape: Shape = {
  name: 'lab',
  accepts: (request): request is Request => Array.isArray((request as Request | undefined)?.messages),
  messages: ({ messages }) => messages,
  withMessages: (request, messages) => ({ ...request, messages }),
  role: ({ role }) => role as 'user',
  parts: ({ content }) => (typeof content === 'string' ? [{ type: 'text', text: content }] : content),
  withParts: (message, content) => ({ ...message, content }),
  userMessage: (content) => ({ role: 'user', content }),
  textPart: (text) => ({ type: 'text', text }),
  textOf: ({ text }) => text,
  results: ({ id }) => [id as string],
  answer: ({ content, calls = [] }) => ({
    text: typeof content === 'string' ? content : '',
    calls,
    textOnly: calls.length === 0,
  }),
};

const user = (content: string): Message => ({ role: 'user', content });
const says: Message = { role: 'assistant', content: 'ok' };
const calls: Message = { role: 'assistant', content: '', calls: ['a'] };
const result: Message = { role: 'tool', content: 'r', id: 'a' };

interface Host {
  readonly injector: Injector;
  readonly conversation: Conversation;
  readonly errors: () => number;
}

function startHost(): Host {
  const { logger, lines } = keepLog();
  const injector = createInjector({ logger });
  injector.adopt('docs', { instructions: 'Docs.' });
  const errors = (): number => lines.filter(({ level }) => level === 'error').length;
  return { injector, conversation: injector.conversation(), errors };
}

const holds = (message: unknown): boolean => JSON.stringify(message).includes('<system-reminder>');
/** Which messages hold a block. */
const blocked = (messages: readonly unknown[]): number[] =>
  messages.flatMap((message, at) => (holds(message) ? [at] : []));

async function send(
  { conversation }: Host,
  format: RequestFormat<Request>,
  ...messages: Message[]
): Promise<readonly Message[]> {
  const prepared = await conversation.prepare({ messages }, { format });
  await prepared.commit();
  return prepared.request.messages;
}

/** What a function written in JavaScript gives, whatever its type says. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- it takes the type that is wanted
const any = <Value>(value: unknown): Value => value as Value;
/** A list with a hole. */
const HOLE: string[] = Object.assign([], { 1: 'b' });

describe('a function that gives something odd costs nothing but its message its block', () => {
  const odd: readonly (readonly [string, Partial<Shape>])[] = [
    ['results with a hole', { results: () => HOLE }],
    ['results that are no texts', { results: () => any([1, null, undefined]) }],
    ['results that are no list', { results: () => any('abc') }],
    ['results in bytes', { results: () => any(new Uint8Array([1])) }],
    ['a promise of results', { results: () => any(Promise.resolve(['a'])) }],
    ['calls with a hole', { answer: () => ({ text: 'a', calls: HOLE, textOnly: false }) }],
    ['calls that are no texts', { answer: () => any({ text: 5, calls: [{}, 5], textOnly: 1 }) }],
    ['a promise of an answer', { answer: () => any(Promise.resolve({ calls: [] })) }],
    ['an id of a thread that is none', { continues: () => any(5) }],
  ];
  it.each(odd)('%s', async (_, given) => {
    const host = startHost();
    const format = defineFormat({ ...shape, ...given });
    expect(blocked(await send(host, format, user('a')))).toEqual([0]);
    host.injector.adopt('late', { instructions: 'Late.' });
    expect(blocked(await send(host, format, user('a'), calls, result))).toEqual([0, 3]);
    const history = [user('a'), calls, result, says, user('b')];
    expect(blocked(await send(host, format, ...history))).toEqual([0, 3]);
    expect(host.errors()).toBe(0);
  });

  it('a role that is none is no tool’s', async () => {
    const host = startHost();
    const format = defineFormat(shape);
    const system = { role: 'system', content: 'Be kind.' };
    expect(blocked(await send(host, format, user('a'), system))).toEqual([0]);
    host.injector.adopt('late', { instructions: 'Late.' });
    expect(blocked(await send(host, format, user('a'), system, says, system, user('b')))).toEqual([0, 4]);
    host.injector.adopt('later', { instructions: 'Later.' });
    const sent = await send(
      host,
      format,
      user('a'),
      system,
      says,
      system,
      user('b'),
      says,
      user('c'),
      system,
    );
    expect(blocked(sent)).toEqual([0, 4, 6]);
  });

  const bad: readonly (readonly [string, (message: Message) => unknown])[] = [
    [
      'throws',
      () => {
        throw new Error('odd');
      },
    ],
    ['gives nothing', () => undefined],
    ['gives a promise', (message) => Promise.resolve(message)],
    ['gives no message', () => 5],
    ['gives the message without the block', (message) => ({ ...message })],
  ];
  it.each(bad)('withParts %s, for a message that carried one', async (_, make) => {
    const host = startHost();
    let isOdd = false;
    const format = defineFormat({
      ...shape,
      withParts: (message, parts) =>
        isOdd && message.id === 1 ? any(make(message)) : shape.withParts(message, parts),
    });
    const first = { ...user('a'), id: 1 };
    expect(blocked(await send(host, format, first))).toEqual([0]);
    host.injector.adopt('late', { instructions: 'Late.' });
    const history = [first, says, user('b')];
    expect(blocked(await send(host, format, ...history))).toEqual([0, 2]);
    isOdd = true;
    const sent = await send(host, format, ...history, says, user('c'));
    // What the first one cannot carry is told again, in the newest.
    expect(blocked(sent)).toEqual([2, 4]);
    expect(JSON.stringify(sent[4])).toContain('Docs.');
    expect(sent[0]).toEqual(first);
    expect(host.errors()).toBe(0);
  });

  it.each(bad)('withParts %s, for the newest message, which waits', async (_, make) => {
    const host = startHost();
    const format = defineFormat({
      ...shape,
      withParts: (message, parts) =>
        message.id === 1 ? any(make(message)) : shape.withParts(message, parts),
    });
    const first = { ...user('a'), id: 1 };
    expect(await send(host, format, first)).toEqual([first]);
    expect(host.conversation.lastReport?.reason).toBe('no-place');
    expect(blocked(await send(host, format, first, says, user('b')))).toEqual([2]);
    expect(host.errors()).toBe(0);
  });

  it.each(bad)('userMessage %s: the news waits for the next prompt', async (_, make) => {
    const host = startHost();
    const format = defineFormat({ ...shape, userMessage: () => any<Message>(make(says)) });
    await send(host, format, user('a'));
    host.injector.adopt('late', { instructions: 'Late.' });
    expect(blocked(await send(host, format, user('a'), calls, result))).toEqual([0]);
    expect(blocked(await send(host, format, user('a'), calls, result, says, user('b')))).toEqual([0, 4]);
    expect(host.errors()).toBe(0);
  });

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('odd');
      },
    ],
    ['gives nothing', () => undefined],
    ['gives a promise', () => Promise.resolve({ messages: [] })],
  ])('withMessages %s: the request goes out as it came, and the log says so', async (_, make) => {
    const host = startHost();
    const format = defineFormat({ ...shape, withMessages: () => any(make()) });
    const request = { messages: [user('a')] };
    const prepared = await host.conversation.prepare(request, { format });
    expect(prepared.request).toBe(request);
    expect(prepared.report.placed).toBe(false);
    expect(host.errors()).toBe(1);
    const stored = { messages: await send(startHost(), defineFormat(shape), user('a')) };
    // Messages that are shown with our blocks would go unnoticed.
    expect(() => host.conversation.stripRequest(stored, format)).toThrow(/odd|no request/);
  });

  it('a promise to accept is no acceptance', async () => {
    const format = defineFormat({ ...shape, accepts: any(async () => await Promise.resolve(true)) });
    const host = startHost();
    const request = { messages: [user('a')] };
    expect((await host.conversation.prepare(request, { format })).request).toBe(request);
  });
});

/** A message as a class of a host's makes it. */
class Written {
  readonly role = 'user';
  readonly content: unknown;
  readonly secret = 'secret';
  constructor(content: unknown) {
    this.content = content;
  }
  toJSON(): object {
    return { role: this.role, content: this.content };
  }
}

/** As one that has its role from its class. */
class Inherited {
  readonly content: unknown;
  constructor(content: unknown) {
    this.content = content;
  }
  get role(): string {
    return 'user';
  }
}

const parts = (type: string, text: string): readonly object[] => [{ type, text }];
const formats: readonly (readonly [string, string, string, () => RequestFormat<unknown>])[] = [
  ['Chat Completions', 'messages', 'text', () => any(chatFormat())],
  ['the Responses API', 'input', 'input_text', () => any(responsesFormat())],
  ['a prompt of the AI SDK', 'prompt', 'text', () => any(promptFormat())],
];

describe.each(formats)('%s takes plain data only', (_, key, type, make) => {
  const plain = (text: string): object => ({ role: 'user', content: parts(type, text) });
  const answer = { role: 'assistant', content: parts(type, 'ok') };

  it.each([Written, Inherited])('a message that is an instance of a class stays: %#', async (Made) => {
    const host = startHost();
    const message = new Made(parts(type, 'a'));
    const format = make();
    const first = await host.conversation.prepare({ [key]: [message] }, { format });
    expect(first.request).toEqual({ [key]: [message] });
    expect(first.report.reason).toBe('no-place');
    const list: readonly object[] = [message, answer, plain('b')];
    const { request } = await host.conversation.prepare({ [key]: list }, { format });
    const sent = any<Record<string, readonly unknown[]>>(request)[key]!;
    expect(sent[0]).toBe(message);
    expect(blocked(sent)).toEqual([2]);
    expect(JSON.stringify(request)).not.toContain('secret');
    expect(host.errors()).toBe(0);
  });

  it('a request that is an instance of a class goes out as it came', async () => {
    class Body {
      readonly stream = true;
      toJSON(): object {
        return {};
      }
    }
    const request = Object.assign(new Body(), { [key]: [plain('a')] });
    const host = startHost();
    const prepared = await host.conversation.prepare<unknown>(request, { format: make() });
    expect(prepared.request).toBe(request);
    expect(prepared.report).toMatchObject({ placed: false, reason: 'no-place' });
    expect(host.errors()).toBe(0);
  });

  it('data without a prototype is plain', async () => {
    const message = Object.assign(Object.create(null) as object, { role: 'user', content: parts(type, 'a') });
    const request = Object.assign(Object.create(null) as object, { [key]: [message] });
    const { report } = await startHost().conversation.prepare<unknown>(request, { format: make() });
    expect(report.reason).toBe('placed');
  });
});

describe('long lists', () => {
  const many = 200_000;
  it('an answer of very many calls is read', async () => {
    const host = startHost();
    const ids = Array.from({ length: many }, (_, at) => `c${at}`);
    const sent = await send(host, defineFormat(shape), user('a'), { ...calls, calls: ids }, user('b'));
    expect(blocked(sent)).toEqual([2]);
    expect(host.errors()).toBe(0);
  });

  test.each([1_000, 4_000])('a run of %i answers of tools is looked at once', (length) => {
    let asked = 0;
    const format = defineFormat({
      ...shape,
      role: ({ role }) => {
        asked += 1;
        return role as 'user';
      },
    });
    const request = { messages: [user('a'), calls, ...Array.from({ length }, () => result), says] };
    expect(format.strip(request, () => true)).toBe(request);
    expect(asked).toBeLessThan(4 * length);
  });
});

describe('an item of the Responses API', () => {
  const output = { type: 'function_call_output', call_id: 'a', output: 'r' };
  it.each([{ type: 'item_reference' }, { type: null }, {}])('that refers to another: %j', async (kind) => {
    const host = startHost();
    const format = responsesFormat();
    const ask = async (...input: object[]): Promise<number[]> => {
      const prepared = await host.conversation.prepare({ input }, { format });
      await prepared.commit();
      return blocked(any(prepared.request.input));
    };
    const reference = (id: string): object => ({ id, ...kind });
    const history = [{ role: 'user', content: 'hello' }];
    expect(await ask(...history)).toEqual([0]);
    const opening = [...history, reference('rs_1'), reference('fc_1'), output];
    expect(await ask(...opening)).toEqual([0]);
    host.injector.adopt('late', { instructions: 'Late.' });
    expect(await ask(...opening, reference('msg_1'), { role: 'user', content: 'more' })).toEqual([0, 5]);
    expect(host.conversation.lastReport?.reason).toBe('placed');
    // Another answer is another history.
    await ask(...history, reference('rs_2'), { role: 'user', content: 'more' });
    expect(host.conversation.lastReport?.turn).toBe(2);
  });

  it('with a role of none is known by its type', async () => {
    const host = startHost();
    const call = { type: 'function_call', call_id: 'a', name: 'look', arguments: '{}' };
    const input = [{ role: 'user', content: 'hello' }, call, { ...output, role: null }];
    const prepared = await host.conversation.prepare({ input }, { format: responsesFormat() });
    expect(blocked(any(prepared.request.input))).toEqual([3]);
  });
});
