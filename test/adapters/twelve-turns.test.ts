import Anthropic from '@anthropic-ai/sdk';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, streamText, wrapLanguageModel, type ModelMessage } from 'ai';
import OpenAI from 'openai';
import { describe, expect, onTestFinished, test } from 'vitest';

import { instructionsMiddleware } from '../../src/adapters/ai-sdk.js';
import { withInstructions } from '../../src/adapters/anthropic.js';
import { withInstructionsFetch } from '../../src/adapters/openai.js';
import { startMessagesEndpoint } from '../../src/cli/demo/messages-endpoint.js';
import type { Conversation } from '../../src/injector.js';
import type { ScriptedTurn } from '../../src/testing.js';
import { prefixBreak } from '../../src/testing/look.js';
import { calls, results, says, user } from '../../src/testing/script.js';
import { chatWriter, messagesWriter, promptMessage, responsesWriter } from '../contracts/request-format.js';
import { startOpenAIEndpoint } from '../support/openai-endpoint.js';
import { deepFreeze, readRequest } from '../support/request-reader.js';
import { messagesFault } from '../support/strict-apis.js';
import { startAdapterHost, textsIn } from './support/adapter-host.js';

type Texts = Readonly<Record<string, string>>;

/** One request of the script. */
interface Step {
  /** What is added to the history before it is sent. */
  readonly adds: readonly ScriptedTurn[];
  /** What servers say when it is sent. */
  readonly there: Texts;
  /** What servers say by the time that a first attempt failed; the SDK tries again. */
  readonly thereAtRetry?: Texts;
  /** Whether the host put a summary in the place of the history. */
  readonly isCompacted?: boolean;
  /** What the request's new block tells. */
  readonly news: readonly string[];
}

/** A lone surrogate, which every API refuses. */
const DOCS = { docs: 'Docs \uD83D.' };
const BOTH = { ...DOCS, tickets: 'Tickets.' };
const LATE = { ...BOTH, late: 'Late.' };
const OTHER = { ...LATE, other: 'Other.' };
const WITHOUT = { ...DOCS, late: 'Late.', other: 'Other.' };
const CHANGED = { ...WITHOUT, late: 'Late, but new.' };
const RESTORED = { ...CHANGED, tickets: 'Tickets.' };
const REDUCED = { late: 'Late, but new.', other: 'Other.', tickets: 'Tickets.' };

const STEPS: readonly Step[] = [
  { adds: [user('question 1')], there: BOTH, news: ['docs added', 'tickets added'] },
  { adds: [says('answer 1'), user('question 2')], there: BOTH, news: [] },
  { adds: [calls('call_a', 'call_b'), results('call_a', 'call_b')], there: LATE, news: ['late added'] },
  { adds: [says('answer 3'), user('question 4')], there: LATE, thereAtRetry: OTHER, news: [] },
  { adds: [says('answer 4'), user('question 5')], there: OTHER, news: ['other added'] },
  { adds: [calls('call_c'), results('call_c')], there: WITHOUT, news: ['tickets removed'] },
  { adds: [says('answer 6'), user('question 7')], there: CHANGED, news: ['late changed'] },
  {
    adds: [calls('call_d', 'call_e', 'call_f'), results('call_d', 'call_e', 'call_f')],
    there: RESTORED,
    news: ['tickets restored'],
  },
  { adds: [says('answer 8'), user('question 9')], there: RESTORED, thereAtRetry: RESTORED, news: [] },
  {
    adds: [user('Summary of what was said.'), says('I see.'), user('question 10')],
    there: RESTORED,
    isCompacted: true,
    news: ['docs added', 'late added', 'other added', 'tickets added'],
  },
  { adds: [calls('call_g', 'call_h'), results('call_g', 'call_h')], there: RESTORED, news: [] },
  { adds: [says('answer 11'), user('question 12')], there: REDUCED, news: ['docs removed'] },
];

/** One way for a host to send its history. */
interface Driver {
  send(history: readonly ScriptedTurn[]): Promise<unknown>;
  /** Whether the host's next request goes on from what the model really answered. */
  readonly goesOn?: boolean;
  /** Everything that came over the wire: the body, and the list in it that only grows. */
  readonly sent: () => readonly { readonly raw: string; readonly list: readonly unknown[] }[];
  readonly faults: () => readonly string[];
}

/** Whether the next attempt fails, and what happens then. */
interface Weather {
  fail: (() => void) | undefined;
  /** What the model is to say, for hosts that go on from its answers. */
  says?: { readonly text: string; readonly calls: readonly string[] } | undefined;
}

async function anthropicEndpoint(
  weather: Weather,
): Promise<Pick<Driver, 'sent' | 'faults'> & { url: string }> {
  const faults: string[] = [];
  const endpoint = await startMessagesEndpoint({
    answer: (body, { number }) => {
      const fault = messagesFault(endpoint.requests[number - 1]!.raw, body);
      if (fault !== undefined) {
        faults.push(fault);
        return { status: 400, error: { type: 'invalid_request_error', message: fault } };
      }
      const { fail } = weather;
      weather.fail = undefined;
      fail?.();
      if (fail !== undefined) return { status: 529, error: { type: 'overloaded_error', message: 'busy' } };
      const { text, calls: ids } = weather.says ?? { text: 'ok', calls: [] };
      const uses = ids.map((id) => ({ type: 'tool_use', id, name: 'look', input: { id } }));
      return { content: [{ type: 'text', text }, ...uses] };
    },
  });
  onTestFinished(() => endpoint.close());
  return {
    url: endpoint.url,
    sent: () => endpoint.requests.map(({ raw, body }) => ({ raw, list: body.messages })),
    faults: () => faults,
  };
}

async function openAIEndpoint(weather: Weather): Promise<Pick<Driver, 'sent' | 'faults'> & { url: string }> {
  const endpoint = await startOpenAIEndpoint(() => {
    const { fail } = weather;
    weather.fail = undefined;
    fail?.();
    if (fail !== undefined) return { status: 503 };
    const { text, calls: ids } = weather.says ?? { text: 'ok', calls: [] };
    return { text, calls: ids.map((id) => ({ id, name: 'look' })) };
  });
  return {
    url: `${endpoint.url}/v1`,
    sent: () =>
      endpoint.requests.map(({ raw, body, earlier }) => ({
        raw,
        list: [...earlier, ...((body['messages'] ?? body['input']) as readonly unknown[])],
      })),
    faults: () => endpoint.faults,
  };
}

type Start = (conversation: Conversation, weather: Weather) => Promise<Driver>;

const modelMessages = (history: readonly ScriptedTurn[]): ModelMessage[] =>
  deepFreeze(history.map(promptMessage)) as ModelMessage[];

const aiSdk =
  (api: 'anthropic' | 'chat' | 'responses' | 'compatible', mode: 'generate' | 'stream'): Start =>
  async (conversation, weather) => {
    const endpoint = await (api === 'anthropic' ? anthropicEndpoint(weather) : openAIEndpoint(weather));
    const baseURL = api === 'anthropic' ? `${endpoint.url}/v1` : endpoint.url;
    const openai = createOpenAI({ baseURL, apiKey: 'test-key' });
    const models = {
      anthropic: () => createAnthropic({ baseURL, apiKey: 'test-key' })('claude-opus-5-5'),
      chat: () => openai.chat('gpt-5'),
      responses: () => openai.responses('gpt-5'),
      compatible: () => createOpenAICompatible({ name: 'lab', baseURL })('gpt-5'),
    };
    const model = wrapLanguageModel({
      model: models[api](),
      middleware: instructionsMiddleware(conversation),
    });
    return {
      ...endpoint,
      send: async (history) => {
        const messages = modelMessages(history);
        return mode === 'generate'
          ? await generateText({ model, messages })
          : await streamText({ model, messages }).text;
      },
    };
  };

type RunnerParams = Parameters<Anthropic['beta']['messages']['toolRunner']>[0];

const LOOK: RunnerParams['tools'][number] = {
  name: 'look',
  input_schema: { type: 'object' },
  run: ({ id }: { readonly id: string }) => `answer of ${id}`,
  parse: (input: unknown) => input,
};

const ways: readonly (readonly [name: string, start: Start])[] = [
  [
    'the Anthropic SDK',
    async (conversation, weather) => {
      const endpoint = await anthropicEndpoint(weather);
      const claude = withInstructions(
        new Anthropic({ baseURL: endpoint.url, apiKey: 'test-key' }),
        conversation,
      );
      const send: Driver['send'] = async (history) => {
        const { messages } = deepFreeze(messagesWriter.request(history));
        const params = { model: 'claude-opus-5-5', max_tokens: 64, messages };
        return await claude.messages.create(params as unknown as Anthropic.MessageCreateParamsNonStreaming);
      };
      return { ...endpoint, send };
    },
  ],
  [
    'openai, Chat Completions',
    async (conversation, weather) => {
      const endpoint = await openAIEndpoint(weather);
      const openai = new OpenAI({
        baseURL: endpoint.url,
        apiKey: 'test-key',
        fetch: withInstructionsFetch(conversation),
      });
      const send: Driver['send'] = async (history) => {
        const request = deepFreeze(chatWriter.request(history));
        return await openai.chat.completions.create(
          request as unknown as OpenAI.ChatCompletionCreateParamsNonStreaming,
        );
      };
      return { ...endpoint, send };
    },
  ],
  [
    'openai, Responses',
    async (conversation, weather) => {
      const endpoint = await openAIEndpoint(weather);
      const openai = new OpenAI({
        baseURL: endpoint.url,
        apiKey: 'test-key',
        fetch: withInstructionsFetch(conversation),
      });
      const send: Driver['send'] = async (history) => {
        const request = deepFreeze({ ...responsesWriter.request(history), store: false });
        return await openai.responses.create(request as OpenAI.Responses.ResponseCreateParamsNonStreaming);
      };
      return { ...endpoint, send };
    },
  ],
  [
    'the tool runner of the Anthropic SDK',
    async (conversation, weather) => {
      const endpoint = await anthropicEndpoint(weather);
      const claude = withInstructions(
        new Anthropic({ baseURL: endpoint.url, apiKey: 'test-key' }),
        conversation,
      );
      const run = (messages: RunnerParams['messages']): ReturnType<typeof claude.beta.messages.toolRunner> =>
        claude.beta.messages.toolRunner({
          model: 'claude-opus-5-5',
          max_tokens: 64,
          messages,
          tools: [LOOK],
          thread: false,
        });
      let runner = run([]);
      let replies = runner[Symbol.asyncIterator]();
      let known: readonly ScriptedTurn[] = [];
      let said: Anthropic.Beta.BetaMessage | undefined;
      const send: Driver['send'] = async (history) => {
        const last = history.at(-1);
        // The runner answers the calls of tools by itself.
        if (last?.role === 'user') {
          const isLonger = said !== undefined && known.every((turn, at) => turn === history[at]);
          const before = isLonger
            ? [...runner.params.messages, { role: 'assistant' as const, content: said!.content }]
            : (messagesWriter.request(history.slice(0, -1)).messages as RunnerParams['messages']);
          runner = run([...before, { role: 'user', content: last.text }]);
          replies = runner[Symbol.asyncIterator]();
        }
        known = history;
        said = (await replies.next()).value as Anthropic.Beta.BetaMessage;
        return said;
      };
      return { ...endpoint, goesOn: true, send };
    },
  ],
  [
    'openai, Responses that go on from the one before',
    async (conversation, weather) => {
      const endpoint = await openAIEndpoint(weather);
      const openai = new OpenAI({
        baseURL: endpoint.url,
        apiKey: 'test-key',
        fetch: withInstructionsFetch(conversation),
      });
      let before: string | undefined;
      let known: readonly ScriptedTurn[] = [];
      const send: Driver['send'] = async (history) => {
        const isLonger = known.every((turn, at) => turn === history[at]);
        // What the model said is on the API's side already.
        const fresh = isLonger
          ? history.slice(known.length).filter(({ role }) => role !== 'assistant')
          : history;
        const request = deepFreeze({
          ...responsesWriter.request(fresh),
          ...(isLonger && before !== undefined ? { previous_response_id: before } : {}),
        });
        const response = await openai.responses.create(
          request as OpenAI.Responses.ResponseCreateParamsNonStreaming,
        );
        before = response.id;
        known = history;
        return response;
      };
      return { ...endpoint, goesOn: true, send };
    },
  ],
  ['the AI SDK with Anthropic', aiSdk('anthropic', 'generate')],
  ['the AI SDK with Anthropic, streamed', aiSdk('anthropic', 'stream')],
  ['the AI SDK with OpenAI Chat', aiSdk('chat', 'generate')],
  ['the AI SDK with OpenAI Responses', aiSdk('responses', 'generate')],
  ['the AI SDK with OpenAI Responses, streamed', aiSdk('responses', 'stream')],
  ['the AI SDK with an openai-compatible provider', aiSdk('compatible', 'generate')],
];

/** What a model reads in a request, by its blocks alone. */
function readList(list: readonly unknown[]): ReturnType<typeof readRequest> {
  const content = textsIn(list).map((text) => ({ type: 'text', text }));
  return readRequest([{ role: 'user', content }]);
}

function wellFormed(texts: Texts): Texts {
  return Object.fromEntries(Object.entries(texts).map(([id, text]) => [id, text.toWellFormed()]));
}

describe.each(ways)('%s', (_, start) => {
  test('twelve turns: only appended, whatever servers do', async () => {
    const { injector, conversation, reports } = startAdapterHost();
    const weather: Weather = { fail: undefined };
    const driver = await start(conversation, weather);
    const provide = async (texts: Texts, before: Texts): Promise<void> => {
      for (const id of Object.keys(before)) if (!(id in texts)) await injector.remove(id);
      for (const [id, instructions] of Object.entries(texts)) injector.adopt(id, { instructions });
    };
    let history: ScriptedTurn[] = [];
    let there: Texts = {};
    let before: readonly unknown[] = [];
    for (const [at, step] of STEPS.entries()) {
      history = step.isCompacted === true ? [...step.adds] : [...history, ...step.adds];
      await provide(step.there, there);
      there = step.there;
      const first = driver.sent().length;
      const { thereAtRetry } = step;
      if (thereAtRetry !== undefined) {
        weather.fail = () => {
          for (const [id, instructions] of Object.entries(thereAtRetry)) injector.adopt(id, { instructions });
        };
      }
      if (driver.goesOn === true) {
        const answer = STEPS[at + 1]?.adds[0];
        weather.says = answer?.role === 'assistant' ? answer : { text: 'ok', calls: [] };
      }
      await driver.send(history);
      expect(driver.faults()).toEqual([]);
      const attempts = driver.sent().slice(first);
      expect(attempts).toHaveLength(thereAtRetry === undefined ? 1 : 2);
      expect(new Set(attempts.map(({ raw }) => raw)).size).toBe(1);
      const { list } = attempts[0]!;
      if (step.isCompacted !== true) expect([at, prefixBreak(before, list)]).toEqual([at, -1]);
      const reading = readList(list);
      expect(reading.faults).toEqual([]);
      expect(Object.fromEntries(reading.inForce)).toEqual(wellFormed(step.there));
      before = list;
    }
    expect(
      reports.map(({ servers }) =>
        servers.flatMap(({ id, change }) => (change === null ? [] : [`${id} ${change}`])),
      ),
    ).toEqual(STEPS.map(({ news }) => news));
    expect(reports[9]?.reason).toBe('history-changed');
    expect(conversation.toJSON().entries.every(([, entry]) => entry.committed)).toBe(true);
  });
});
