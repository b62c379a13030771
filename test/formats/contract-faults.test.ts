import { describe, expect, test } from 'vitest';

import type { FormatShape } from '../../src/formats/format-shape.js';
import { defineFormat } from '../../src/formats/message-list.js';
import type { RequestFormat } from '../../src/formats/request-format.js';
import { requestFormatContract, type ScriptedTurn } from '../../src/testing.js';

interface Part {
  readonly type: string;
  readonly text?: string;
}
interface Message {
  readonly role: string;
  readonly content: string | readonly Part[];
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly { readonly id: string }[];
}
interface Request {
  readonly messages: readonly Message[];
}
type Shape = FormatShape<Request, Message, Part>;
type Format = RequestFormat<Request>;

const isText = ({ type }: Part): boolean => type === 'text';
const textOf = ({ content }: Message): string =>
  typeof content === 'string' ? content : content.map(({ text = '' }) => text).join('');

/** As a page tells hosts to write one, and nothing more. */
const good: Shape = {
  name: 'lab',
  accepts: (request): request is Request => {
    const list = (request as Request | null | undefined)?.messages;
    return Array.isArray(list) && list.length > 0;
  },
  messages: ({ messages }) => messages,
  withMessages: (request, messages) => ({ ...request, messages }),
  role: ({ role }) => (role === 'user' || role === 'assistant' || role === 'tool' ? role : 'other'),
  parts: ({ content }) => (typeof content === 'string' ? [{ type: 'text', text: content }] : content),
  withParts: (message, content) => ({ ...message, content }),
  userMessage: (content) => ({ role: 'user', content }),
  textPart: (text) => ({ type: 'text', text }),
  textOf: (part) => (isText(part) ? part.text : undefined),
  results: ({ tool_call_id: id }) => [id!],
  answer: (message) => ({
    text: textOf(message),
    calls: (message.tool_calls ?? []).map(({ id }) => id),
    textOnly: (message.tool_calls ?? []).length === 0,
  }),
};

function toMessages(turn: ScriptedTurn): Message[] {
  if (turn.role === 'user') return [{ role: 'user', content: turn.text }];
  if (turn.role === 'tools') {
    return turn.results.map(({ id, text }) => ({ role: 'tool', tool_call_id: id, content: text }));
  }
  return [{ role: 'assistant', content: turn.text, tool_calls: turn.calls.map((id) => ({ id })) }];
}

/** The checks that a format does not hold. */
async function faultsOf(make: () => Format): Promise<string[]> {
  const faults: string[] = [];
  const checks = requestFormatContract<Request>({
    format: make,
    request: (history) => ({ messages: history.flatMap(toMessages) }),
    messages: ({ messages }) => messages,
  });
  for (const check of checks) {
    await check.run().catch(() => faults.push(check.name));
  }
  return faults;
}

const any = (value: unknown): never => value as never;
const listOf = ({ content }: Message): readonly Part[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : content;
const isSystem = (message: Message | null): boolean => message?.role === 'system';

const shapes: readonly (readonly [fault: string, shape: Partial<Shape>])[] = [
  [
    'parts loses images',
    {
      parts: ({ content }) =>
        Array.isArray(content) ? content.filter(isText) : good.parts(any({ content })),
    },
  ],
  [
    'parts joins texts',
    {
      parts: (message) =>
        typeof message.content === 'string' ? listOf(message) : [{ type: 'text', text: textOf(message) }],
    },
  ],
  ['withParts loses fields', { withParts: (_, content) => ({ role: 'user', content }) }],
  [
    'withParts turns the order',
    { withParts: (message, content) => ({ ...message, content: content.toReversed() }) },
  ],
  [
    'withParts sorts',
    {
      withParts: (message, content) => ({
        ...message,
        content: [...content.filter(isText), ...content.filter((part) => !isText(part))],
      }),
    },
  ],
  ['withMessages loses fields', { withMessages: (_, messages) => ({ messages }) }],
  [
    'withMessages loses system messages',
    {
      withMessages: (request, messages) => ({
        ...request,
        messages: messages.filter((message) => !isSystem(message)),
      }),
    },
  ],
  ['a part is named alike', { keyOf: () => 'x' }],
  ['a part has no name', { keyOf: () => '' }],
  ['results are all the same', { results: () => ['x'] }],
  ['results hold what is said', { results: (message) => [`${message.tool_call_id}${textOf(message)}`] }],
  ['results are a promise', { results: (message) => any(Promise.resolve([message.tool_call_id])) }],
  [
    'an answer ignores calls',
    { answer: (message) => ({ text: textOf(message), calls: [], textOnly: true }) },
  ],
  ['an answer ignores its text', { answer: (message) => ({ ...good.answer(message), text: '' }) }],
  ['an answer is text only', { answer: (message) => ({ ...good.answer(message), textOnly: true }) }],
  ['an answer is never text only', { answer: (message) => ({ ...good.answer(message), textOnly: false }) }],
  ['an answer sums up', { answer: (message) => ({ ...good.answer(message), compacts: true }) }],
  ['an answer is a promise', { answer: (message) => any(Promise.resolve(good.answer(message))) }],
  ['accepts is a promise', { accepts: any((request: unknown) => Promise.resolve(good.accepts(request))) }],
  ['a text part holds something empty', { textPart: (text) => any({ type: 'text', text, more: '' }) }],
  [
    'answers of tools are a user’s',
    { role: (message) => (message.role === 'tool' ? 'user' : good.role(message)) },
  ],
];

const formats: readonly (readonly [fault: string, wrap: (format: Format) => Partial<Format>])[] = [
  [
    'strip loses images',
    (format) => ({
      strip: (request, isBlock) => {
        const stripped = format.strip(request, isBlock);
        const messages = stripped.messages.map((message: Message | null) =>
          Array.isArray(message?.content)
            ? Object.assign({}, message, {
                content: listOf(message).filter((part) => part?.type === 'text'),
              })
            : message,
        );
        return stripped === request ? request : { ...stripped, messages: any(messages) };
      },
    }),
  ],
  [
    'write loses system messages',
    (format) => ({
      write: (request, placements) => {
        const written = format.write(request, placements);
        const messages = written.messages.filter((message) => !isSystem(message));
        return written === request ? request : { ...written, messages };
      },
    }),
  ],
  [
    'write puts a block after a begun answer',
    (format) => ({
      write: (request, placements) => {
        const block = placements.at(-1);
        if (block === undefined || request.messages.at(-1)?.role !== 'assistant') {
          return format.write(request, placements);
        }
        const own: Message = { role: 'user', content: [{ type: 'text', text: block.text }] };
        return { ...request, messages: [...request.messages, own] };
      },
    }),
  ],
  [
    'write forgets the first block of a longer history',
    (format) => ({
      write: (request, placements) =>
        format.write(request, request.messages.length > 6 ? placements.slice(1) : placements),
    }),
  ],
  [
    'write edits the first block of a long history',
    (format) => ({
      write: (request, placements) =>
        format.write(
          request,
          placements.map((placement, at) =>
            at === 0 && request.messages.length > 30
              ? Object.assign({}, placement, { text: `${placement.text} ` })
              : placement,
          ),
        ),
    }),
  ],
];

describe('the suite', () => {
  test('holds for a format that a host wrote as it is told to', async () => {
    expect(await faultsOf(() => defineFormat(good))).toEqual([]);
  });

  test.each(shapes)('notices that %s', async (_, shape) => {
    expect(await faultsOf(() => defineFormat({ ...good, ...shape }))).not.toEqual([]);
  });

  test.each(formats)('notices that %s', async (_, wrap) => {
    const faults = await faultsOf(() => {
      const format = defineFormat(good);
      const bound: Format = {
        name: format.name,
        accepts: (request) => format.accepts(request),
        read: (request, isBlock) => format.read(request, isBlock),
        write: (request, placements) => format.write(request, placements),
        strip: (request, isBlock) => format.strip(request, isBlock),
      };
      return { ...bound, ...wrap(bound) };
    });
    expect(faults).not.toEqual([]);
  });
});
