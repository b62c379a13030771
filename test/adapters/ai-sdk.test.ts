import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import {
  generateObject,
  generateText,
  jsonSchema,
  stepCountIs,
  streamText,
  tool,
  ToolLoopAgent,
  wrapLanguageModel,
  type LanguageModel,
  type ModelMessage,
} from 'ai';
import { describe, expect, onTestFinished, test } from 'vitest';

import { forConversation, instructionsMiddleware } from '../../src/adapters/ai-sdk.js';
import { startMessagesEndpoint, type AnswerBlock } from '../../src/cli/demo/messages-endpoint.js';
import type { Conversation } from '../../src/injector.js';
import { startOpenAIEndpoint, type OpenAIAnswer } from '../support/openai-endpoint.js';
import { messagesFault, type ChatManners } from '../support/strict-apis.js';
import { blocksIn, startAdapterHost, tells, type AdapterHost } from './support/adapter-host.js';

type Model = Parameters<typeof wrapLanguageModel>[0]['model'];

/** A provider and an endpoint that refuses what the real one refuses. */
interface Wire {
  readonly model: Model;
  readonly bodies: () => readonly Readonly<Record<string, unknown>>[];
  readonly raws: () => readonly string[];
  readonly faults: () => readonly string[];
}

type Answer = (number: number) => OpenAIAnswer;

async function openAIWire(
  kind: 'chat' | 'responses' | 'compatible',
  answer: Answer,
  manners?: ChatManners,
): Promise<Wire> {
  const endpoint = await startOpenAIEndpoint(answer, manners);
  const baseURL = `${endpoint.url}/v1`;
  const openai = createOpenAI({ baseURL, apiKey: 'test-key' });
  const compatible = createOpenAICompatible({ name: 'lab', baseURL });
  const models = {
    chat: () => openai.chat('gpt-5'),
    responses: () => openai.responses('gpt-5'),
    compatible: () => compatible('gpt-5'),
  };
  return {
    model: models[kind](),
    bodies: () => endpoint.requests.map(({ body }) => body),
    raws: () => endpoint.requests.map(({ raw }) => raw),
    faults: () => endpoint.faults,
  };
}

async function anthropicWire(answer: Answer): Promise<Wire> {
  const faults: string[] = [];
  const endpoint = await startMessagesEndpoint({
    answer: (body, { number }) => {
      const fault = messagesFault(endpoint.requests[number - 1]!.raw, body);
      if (fault !== undefined) {
        faults.push(fault);
        return { status: 400, error: { type: 'invalid_request_error', message: fault } };
      }
      const said = answer(number);
      if (typeof said === 'string') return said;
      if ('status' in said) {
        return { status: said.status, error: { type: 'overloaded_error', message: 'busy' } };
      }
      const content: AnswerBlock[] = (said.calls ?? []).map(({ id, name }) => ({
        type: 'tool_use',
        id,
        name,
        input: {},
      }));
      return { content };
    },
  });
  onTestFinished(() => endpoint.close());
  return {
    model: createAnthropic({ baseURL: `${endpoint.url}/v1`, apiKey: 'test-key' })('claude-opus-5-5'),
    bodies: () => endpoint.requests.map(({ body }) => body),
    raws: () => endpoint.requests.map(({ raw }) => raw),
    faults: () => faults,
  };
}

const wires: readonly (readonly [name: string, start: (answer: Answer) => Promise<Wire>])[] = [
  ['Anthropic', anthropicWire],
  ['OpenAI Chat', async (answer) => await openAIWire('chat', answer)],
  ['OpenAI Responses', async (answer) => await openAIWire('responses', answer)],
  ['openai-compatible', async (answer) => await openAIWire('compatible', answer)],
];

const CALLS: OpenAIAnswer = {
  calls: [
    { id: 'call_1', name: 'look' },
    { id: 'call_2', name: 'look' },
  ],
};

function startHost(): AdapterHost {
  const host = startAdapterHost();
  host.injector.adopt('docs', { instructions: 'Docs.' });
  return host;
}

function wrap({ model }: Wire, conversation?: Conversation): LanguageModel & Model {
  return wrapLanguageModel({ model, middleware: instructionsMiddleware(conversation) });
}

const look = (run: () => void = () => {}) => ({
  look: tool({
    description: 'Looks.',
    inputSchema: jsonSchema<object>({ type: 'object', properties: {} }),
    execute: () => {
      run();
      return 'seen';
    },
  }),
});

/** The list that only grows: messages of a body, without system messages, or its items. */
function listOf(body: Readonly<Record<string, unknown>>): readonly unknown[] {
  return (body['messages'] ?? body['input']) as readonly unknown[];
}

/** Breakpoints and the shape of a lone text aside, whether one list begins with another. */
function beginsWith(later: readonly unknown[], earlier: readonly unknown[]): boolean {
  return JSON.stringify(later.slice(0, earlier.length)) === JSON.stringify(earlier);
}

describe.each(wires)('%s', (_, start) => {
  test('generateText with tools in parallel and news while they run', async () => {
    const host = startHost();
    const wire = await start((number) => (number === 1 ? CALLS : 'done'));
    const model = wrap(wire, host.conversation);
    const tools = look(() => host.injector.adopt('late', { instructions: 'Late.' }));
    const messages: ModelMessage[] = [{ role: 'user', content: 'hello' }];
    const result = await generateText({ model, messages, tools, stopWhen: stepCountIs(4) });
    expect(result.text).toBe('done');
    expect(wire.faults()).toEqual([]);
    const [first, second] = wire.bodies();
    expect(blocksIn(first)).toEqual([tells('docs', 'Docs.')]);
    expect(blocksIn(second)).toEqual([tells('docs', 'Docs.'), tells('late', 'Late.')]);
    expect(beginsWith(listOf(second!), listOf(first!))).toBe(true);
    expect(JSON.stringify(listOf(second!).at(-1))).toContain('## late');

    // What the host keeps holds none of it, and the next turn has it in place.
    expect(JSON.stringify(result.response.messages)).not.toContain('system-reminder');
    messages.push(...result.response.messages, { role: 'user', content: 'next' });
    await generateText({ model, messages, tools });
    const third = wire.bodies()[2]!;
    expect(blocksIn(third)).toEqual(blocksIn(second));
    expect(beginsWith(listOf(third), listOf(second!))).toBe(true);
    expect(wire.faults()).toEqual([]);
  });

  test('streamText: committed, and its share of the input is known in the end', async () => {
    const host = startHost();
    const wire = await start((number) => (number === 1 ? CALLS : 'done'));
    const result = streamText({
      model: wrap(wire, host.conversation),
      prompt: 'hello',
      tools: look(),
      stopWhen: stepCountIs(4),
    });
    expect(await result.text).toBe('done');
    expect(wire.faults()).toEqual([]);
    expect(wire.bodies().map((body) => blocksIn(body))).toEqual([
      [tells('docs', 'Docs.')],
      [tells('docs', 'Docs.')],
    ]);
    expect(host.conversation.toJSON().entries.every(([, entry]) => entry.committed)).toBe(true);
    expect(host.conversation.lastReport?.tokens.share).toBeGreaterThan(0);
  });

  test('a retry of the SDK sends identical bytes, whatever changed between', async () => {
    const host = startHost();
    const wire = await start((number) => {
      if (number > 1) return 'done';
      host.injector.adopt('late', { instructions: 'Late.' });
      return { status: 503 };
    });
    await generateText({ model: wrap(wire, host.conversation), prompt: 'hello' });
    const [first, second] = wire.raws();
    expect(second).toBe(first);
    expect(host.reports).toHaveLength(1);
  });

  test('what was not delivered is forgotten', async () => {
    const host = startHost();
    const wire = await start((number) => (number === 1 ? { status: 400 } : 'done'));
    const model = wrap(wire, host.conversation);
    await expect(generateText({ model, prompt: 'hello' })).rejects.toThrow('busy');
    expect(host.conversation.toJSON().entries).toEqual([]);
    host.injector.adopt('docs', { instructions: 'Another.' });
    await generateText({ model, prompt: 'hello' });
    expect(blocksIn(wire.bodies()[1])).toEqual([tells('docs', 'Another.')]);
  });

  test('an agent whose calls bring their conversation; it never reaches the wire', async () => {
    const host = startHost();
    const wire = await start((number) => (number === 1 ? CALLS : 'done'));
    const agent = new ToolLoopAgent({
      model: wrap(wire),
      tools: look(),
      providerOptions: forConversation(host.conversation),
    });
    expect((await agent.generate({ prompt: 'hello' })).text).toBe('done');
    expect(wire.bodies().map((body) => blocksIn(body))).toEqual([
      [tells('docs', 'Docs.')],
      [tells('docs', 'Docs.')],
    ]);
    expect(wire.raws().join()).not.toContain('mcpInstructions');
    expect(host.reports.map(({ conversation }) => conversation)).toEqual(['chat', 'chat']);
  });
});

describe('the middleware', () => {
  test('generateObject', async () => {
    const host = startHost();
    const wire = await openAIWire('chat', () => '{"city":"Oslo"}');
    const { object } = await generateObject({
      model: wrap(wire, host.conversation),
      prompt: 'hello',
      schema: jsonSchema<{ city: string }>({
        type: 'object',
        properties: { city: { type: 'string' } },
        required: ['city'],
        additionalProperties: false,
      }),
    });
    expect(object).toEqual({ city: 'Oslo' });
    expect(blocksIn(wire.bodies()[0])).toEqual([tells('docs', 'Docs.')]);
  });

  test('without any conversation leaves a call as it is', async () => {
    const wire = await openAIWire('chat', () => 'ok');
    await generateText({ model: wrap(wire), prompt: 'hello' });
    expect(wire.bodies()[0]?.['messages']).toEqual([{ role: 'user', content: 'hello' }]);
  });

  test('a call’s own conversation goes before the one that is bound', async () => {
    const host = startHost();
    const wire = await openAIWire('chat', () => 'ok');
    const model = wrap(wire, host.conversation);
    const providerOptions = forConversation(host.injector.conversation('own'));
    await generateText({ model, prompt: 'hello', providerOptions });
    expect(host.reports.map(({ conversation }) => conversation)).toEqual(['own']);
  });

  test('a file’s bytes name a message: the same picture is the same turn', async () => {
    const host = startHost();
    const wire = await openAIWire('chat', () => 'ok');
    const model = wrap(wire, host.conversation);
    const picture = (last: number): ModelMessage => ({
      role: 'user',
      content: [
        { type: 'text', text: 'What is it?' },
        { type: 'image', image: new Uint8Array([137, 80, 78, 71, last]), mediaType: 'image/png' },
      ],
    });
    await generateText({ model, messages: [picture(1)] });
    host.injector.adopt('late', { instructions: 'Late.' });
    await generateText({ model, messages: [picture(1)] });
    await generateText({ model, messages: [picture(2)] });
    expect(wire.bodies().map((body) => blocksIn(body).length)).toEqual([1, 1, 1]);
    expect(blocksIn(wire.bodies()[1])).toEqual(blocksIn(wire.bodies()[0]));
    expect(blocksIn(wire.bodies()[2])[0]).toContain('## late');
  });

  test('an endpoint that refuses a user message after tools: held until the next prompt', async () => {
    const host = startHost();
    const wire = await openAIWire('compatible', (number) => (number === 1 ? CALLS : 'done'), 'mistral');
    const model = wrapLanguageModel({
      model: wire.model,
      middleware: instructionsMiddleware(host.conversation, { afterTools: 'hold' }),
    });
    const tools = look(() => host.injector.adopt('late', { instructions: 'Late.' }));
    const messages: ModelMessage[] = [{ role: 'user', content: 'hello' }];
    const { response } = await generateText({ model, messages, tools, stopWhen: stepCountIs(4) });
    messages.push(...response.messages, { role: 'user', content: 'next' });
    await generateText({ model, messages, tools });
    expect(wire.faults()).toEqual([]);
    expect(wire.bodies().map((body) => blocksIn(body).length)).toEqual([1, 1, 2]);
  });

  test('the model’s own encoding counts, by the id of the model', async () => {
    const host = startHost();
    const wire = await openAIWire('chat', () => 'ok');
    const model = wrap(wire, host.conversation);
    await expect
      .poll(async () => {
        await generateText({ model, prompt: 'hello' });
        return host.conversation.lastReport?.tokens.method;
      })
      .toBe('counted');
    expect(host.conversation.lastReport?.model).toBe('gpt-5');
  });

  test('a host that calls the model itself and adds to its own prompt', async () => {
    const host = startHost();
    const wire = await openAIWire('chat', (number) => (number === 1 ? { status: 400 } : 'ok'));
    const model = wrap(wire, host.conversation);
    const prompt: Parameters<Model['doGenerate']>[0]['prompt'] = [
      { role: 'user', content: [{ type: 'text', text: 'hello' }] },
    ];
    await expect(model.doGenerate({ prompt })).rejects.toThrow('busy');
    prompt.push({ role: 'user', content: [{ type: 'text', text: 'and more' }] });
    await model.doGenerate({ prompt });
    expect(JSON.stringify(wire.bodies()[1])).toContain('and more');
  });
});
