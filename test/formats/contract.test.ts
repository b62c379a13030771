import { describe, expect, test } from 'vitest';

import { promptFormat } from '../../src/formats/ai-sdk-prompt.js';
import { AnthropicMessages } from '../../src/formats/anthropic-messages.js';
import { chatFormat, type ChatRequest } from '../../src/formats/openai-chat.js';
import { responsesFormat } from '../../src/formats/openai-responses.js';
import type { RequestFormat } from '../../src/formats/request-format.js';
import { requestFormatContract } from '../../src/testing.js';
import {
  chatWriter,
  holdsContract,
  messagesWriter,
  promptWriter,
  responsesWriter,
} from '../contracts/request-format.js';
import { geminiSubject } from './gemini.js';

describe('the Messages API', () => {
  holdsContract({ ...messagesWriter, format: () => new AnthropicMessages() });
});
describe('Chat Completions', () => {
  holdsContract({ ...chatWriter, format: () => chatFormat() });
});
describe('the Responses API', () => {
  holdsContract({ ...responsesWriter, format: () => responsesFormat() });
});
describe('a prompt of the AI SDK', () => {
  holdsContract({ ...promptWriter, format: () => promptFormat() });
});
describe('a format of a host’s', () => {
  holdsContract(geminiSubject);
});

/** Faults to plant in a good format, and the check that must notice each. */
const planted: readonly (readonly [
  check: string,
  fault: (format: RequestFormat<ChatRequest>) => Partial<RequestFormat<ChatRequest>>,
])[] = [
  ['takes its own requests', () => ({ accepts: (value: unknown): value is ChatRequest => value !== null })],
  [
    'reads a copy',
    (format) => ({
      read: (request, isBlock) => {
        const reading = format.read(request, isBlock);
        return { ...reading, turns: reading.turns.map((turn) => ({ ...turn, digest: { high: 1, low: 1 } })) };
      },
    }),
  ],
  ['gives back the request', (format) => ({ write: (...args) => ({ ...format.write(...args) }) })],
  [
    'places a block in the prompt',
    () => ({
      write: (request, [placement]) =>
        placement === undefined
          ? request
          : { ...request, messages: [...request.messages, { role: 'user', content: placement.text }] },
    }),
  ],
  [
    'only appends',
    (format) => ({ write: (request, placements) => format.write(request, placements.slice(-1)) }),
  ],
  [
    'keeps the answers of tools together',
    (format) => ({
      write: (request, placements) =>
        format.write(
          request,
          placements.map((placement) =>
            placement.slot === -1 ? { ...placement, index: placement.index - 1 } : placement,
          ),
        ),
    }),
  ],
  [
    'makes nothing empty',
    (format) => ({
      write: (request, placements) => {
        const { messages } = format.write(request, placements);
        return { ...request, messages: [...messages, { role: 'user', content: '' }] };
      },
    }),
  ],
  [
    'changes no request',
    (format) => ({
      write: (request, placements) => {
        Object.assign(request, { model: 'other' });
        return format.write(request, placements);
      },
    }),
  ],
  ['adds nothing when', (format) => ({ read: (request) => format.read(request, () => false) })],
  [
    'stays in place when',
    (format) => ({
      read: (request, isBlock) => {
        const reading = format.read(request, isBlock);
        const low = JSON.stringify(request.messages[4]).length;
        return { ...reading, turns: reading.turns.map((turn) => ({ ...turn, digest: { high: 1, low } })) };
      },
    }),
  ],
  [
    'leaves a message of no known kind',
    (format) => ({
      accepts: (request: unknown): request is ChatRequest =>
        format.accepts(request) && request.messages.every((message: unknown) => typeof message === 'object'),
    }),
  ],
  ['takes out its blocks', () => ({ strip: (request) => request })],
  [
    'changes nothing of the host’s',
    (format) => ({
      write: (request, placements) => {
        const { messages } = format.write(request, placements);
        return { messages };
      },
    }),
  ],
  [
    'tells apart answers',
    (format) => ({
      read: (request, isBlock) => {
        const reading = format.read(request, isBlock);
        const turns = reading.turns.map((turn) =>
          turn.role === 'user' ? turn : { ...turn, digest: undefined },
        );
        return { ...reading, turns };
      },
    }),
  ],
  [
    'puts nothing into or after',
    (format) => ({
      read: (request, isBlock) => {
        const reading = format.read(request, isBlock);
        const turns = reading.turns.map((turn) =>
          turn.role === 'user' ? turn : { ...turn, textOnly: true },
        );
        return { ...reading, turns };
      },
    }),
  ],
];

describe('the suite notices', () => {
  test.each(planted)('%s', async (name, fault) => {
    const format = chatFormat();
    const bound: RequestFormat<ChatRequest> = {
      name: format.name,
      accepts: (request) => format.accepts(request),
      read: (request, isBlock) => format.read(request, isBlock),
      write: (request, placements) => format.write(request, placements),
      strip: (request, isBlock) => format.strip(request, isBlock),
    };
    const checks = requestFormatContract({
      ...chatWriter,
      format: () => ({ ...bound, ...fault(bound) }),
    });
    const check = checks.find((candidate) => candidate.name.startsWith(name));
    await expect(check?.run()).rejects.toBeInstanceOf(Error);
  });

  test('has a planted fault for every check', () => {
    const names = requestFormatContract({ ...chatWriter, format: () => chatFormat() }).map(
      (check) => check.name,
    );
    expect(names.filter((name) => !planted.some(([start]) => name.startsWith(start)))).toEqual([]);
  });
});
