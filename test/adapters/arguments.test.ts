import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { describe, expect, test } from 'vitest';

import { forConversation, instructionsMiddleware, promptFormat } from '../../src/adapters/ai-sdk.js';
import { withInstructions } from '../../src/adapters/anthropic.js';
import {
  chatFormat,
  prepareChat,
  prepareResponses,
  responsesFormat,
  withInstructionsFetch,
} from '../../src/adapters/openai.js';
import { InstructionsError } from '../../src/errors.js';
import { startAdapterHost } from './support/adapter-host.js';

/** A client as the SDK had it before it had middleware. */
class OldAnthropic {
  readonly messages: object = {};
  withOptions(): this {
    return this;
  }
}

/** What a call says that is refused, whether it throws or rejects. */
async function refusal(call: () => unknown): Promise<string> {
  try {
    await call();
  } catch (error) {
    if (!InstructionsError.isInstance(error)) throw error;
    expect(error.code).toBe('INVALID_OPTION');
    return error.message;
  }
  return 'nothing was thrown';
}

const request = { model: 'm', messages: [{ role: 'user', content: 'hi' }] };
const CONVERSATION = 'conversation: expected a conversation of `injector.conversation()`, got';

describe('withInstructions', () => {
  const CLIENT =
    'withInstructions: client: expected an Anthropic client with `middleware` (`@anthropic-ai/sdk` 0.101 or later), got';

  test.each<[unknown, string]>([
    [undefined, 'undefined'],
    [null, 'null'],
    ['sk-S3CRET', 'a string'],
    [{}, 'an object without it'],
    [new OpenAI({ apiKey: 'S3CRET' }), 'an object (OpenAI) without it'],
    [new OldAnthropic(), 'an object (OldAnthropic) without it'],
    [Anthropic, 'a function'],
  ])('%#: a client that is none', async (client, got) => {
    const { conversation } = startAdapterHost();
    expect(await refusal(() => withInstructions(client as never, conversation))).toBe(`${CLIENT} ${got}`);
  });

  test('the two in the wrong order, the injector, and what is still to come', async () => {
    const { conversation, injector } = startAdapterHost();
    const claude = new Anthropic({ apiKey: 'S3CRET' });
    const swapped = refusal(() => withInstructions(conversation as never, claude as never));
    expect(await swapped).toBe(`${CLIENT} an object (Conversation) without it`);
    const wrongs: readonly (readonly [unknown, string])[] = [
      [injector, 'an object (Injector)'],
      [undefined, 'undefined'],
      ['chat-42', 'a string'],
      [claude, 'an object (Anthropic)'],
      [Promise.resolve(conversation), 'an object (Promise)'],
    ];
    for (const [wrong, got] of wrongs) {
      const message = await refusal(() => withInstructions(claude, wrong as never));
      expect(message).toBe(`withInstructions: ${CONVERSATION} ${got}`);
    }
  });
});

describe('the conversation of every adapter', () => {
  const adapters: Record<string, (conversation: never) => unknown> = {
    withInstructionsFetch: (conversation) => withInstructionsFetch(conversation),
    prepareChat: (conversation) => prepareChat(conversation, request),
    prepareResponses: (conversation) => prepareResponses(conversation, { input: 'hi' }),
    instructionsMiddleware: (conversation) => instructionsMiddleware(conversation),
    forConversation: (conversation) => forConversation(conversation),
  };

  test.each(Object.entries(adapters))('%s', async (name, call) => {
    const { injector } = startAdapterHost();
    const wrongs: readonly (readonly [unknown, string])[] = [
      [injector, 'an object (Injector)'],
      [null, 'null'],
      ['chat-42', 'a string'],
      [{}, 'an object'],
    ];
    for (const [wrong, got] of wrongs) {
      expect(await refusal(() => call(wrong as never))).toBe(`${name}: ${CONVERSATION} ${got}`);
    }
  });

  test('none at all is right for the middleware of a model that serves many, and for nothing else', async () => {
    expect(() => instructionsMiddleware()).not.toThrow();
    expect(() => instructionsMiddleware(undefined)).not.toThrow();
    for (const [name, call] of Object.entries(adapters)) {
      if (name === 'instructionsMiddleware') continue;
      expect(await refusal(() => call(undefined as never))).toBe(`${name}: ${CONVERSATION} undefined`);
    }
  });
});

describe('the options of every adapter', () => {
  type Call = (options: never) => unknown;
  const calls = (): Record<string, Call> => {
    const { conversation } = startAdapterHost();
    return {
      withInstructionsFetch: (options) => withInstructionsFetch(conversation, options),
      instructionsMiddleware: (options) => instructionsMiddleware(conversation, options),
      prepareChat: (options) => prepareChat(conversation, request, options),
      prepareResponses: (options) => prepareResponses(conversation, { input: 'hi' }, options),
      chatFormat: (options) => chatFormat(options),
      responsesFormat: (options) => responsesFormat(options),
      promptFormat: (options) => promptFormat(options),
    };
  };

  test('a place that there is not is refused where it is said', async () => {
    for (const [name, call] of Object.entries(calls())) {
      const refused = async (afterTools: unknown): Promise<string> =>
        await refusal(() => call({ afterTools } as never));
      expect([name, await refused('later')]).toEqual([
        name,
        "afterTools: expected 'message' or 'hold', got 'later'",
      ]);
      expect(await refused(true)).toContain('got true');
      expect(await refused('message')).toBe('nothing was thrown');
    }
  });

  test('no object is refused, and null is none', async () => {
    for (const [name, call] of Object.entries(calls())) {
      expect([name, await refusal(() => call('hold' as never))]).toEqual([
        name,
        expect.stringContaining('options: expected an object, got a string'),
      ]);
      expect([name, await refusal(() => call(null as never))]).toEqual([name, 'nothing was thrown']);
    }
  });

  test('a fetch that is none', async () => {
    const { conversation } = startAdapterHost();
    const fetch = 'https://user:S3CRET@proxy' as never;
    expect(await refusal(() => withInstructionsFetch(conversation, { fetch }))).toBe(
      'withInstructionsFetch: fetch: expected a function, got a string',
    );
  });

  test('one that there is not is told, once, with the call it was given to', async () => {
    const { conversation, log } = startAdapterHost();
    const wrong = { afterTool: 'hold' } as never;
    for (let time = 0; time < 2; time += 1) {
      withInstructionsFetch(conversation, wrong);
      instructionsMiddleware(conversation, wrong);
      await prepareChat(conversation, request, wrong);
      await prepareChat(conversation, request, { afterTools: 'hold', record: false, signal: null });
    }
    const told = log.filter(({ event }) => event === 'option-unknown').map(({ options }) => options);
    expect(told).toEqual([
      ['withInstructionsFetch.afterTool'],
      ['instructionsMiddleware.afterTool'],
      ['prepare.afterTool'],
    ]);
  });
});

describe('a call of the AI SDK that brings a conversation', () => {
  const params = (
    mcpInstructions: unknown,
  ): { prompt: never[]; providerOptions: Record<string, unknown> } => ({
    prompt: [],
    providerOptions: { openai: { store: false }, mcpInstructions },
  });
  const model = { modelId: 'm' };

  test.each<[unknown, string]>([
    [{ conversation: 'chat-42' }, 'a conversation that is a string'],
    [{ conversation: {} }, 'a conversation that is an object'],
    [{ conversation: undefined }, 'a conversation that is undefined'],
    [{}, 'a conversation that is undefined'],
    ['chat-42', 'a string'],
  ])(
    '%#: something else in its place rejects, also where the middleware has one of its own',
    async (wrong, got) => {
      const { conversation } = startAdapterHost();
      for (const middleware of [instructionsMiddleware(), instructionsMiddleware(conversation)]) {
        expect(await refusal(() => middleware.transformParams({ params: params(wrong), model }))).toBe(
          `providerOptions.mcpInstructions: expected what \`forConversation(conversation)\` gives, got ${got}`,
        );
      }
      expect(conversation.lastReport).toBeUndefined();
    },
  );

  test('none is no mistake: the call goes out as it came', async () => {
    const middleware = instructionsMiddleware();
    for (const given of [{ prompt: [] }, params(undefined)]) {
      const ready = await middleware.transformParams({ params: given, model });
      expect(ready.prompt).toBe(given.prompt);
    }
  });
});
