import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

import { onTestFinished } from 'vitest';

import { chatFault, responsesFault, type ChatManners } from './strict-apis.js';

type Json = Readonly<Record<string, unknown>>;

/** What the model says: words, calls of tools, or a status other than 200. */
export type OpenAIAnswer =
  | string
  | { readonly text?: string; readonly calls?: readonly { readonly id: string; readonly name: string }[] }
  | { readonly status: number };

/** A request as it came. */
export interface OpenAIRequest {
  readonly path: string;
  readonly raw: string;
  readonly body: Json;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The items that the API keeps of the thread that the request goes on from. */
  readonly earlier: readonly Json[];
}

/** A running endpoint. */
export interface OpenAIEndpoint {
  readonly url: string;
  readonly requests: readonly OpenAIRequest[];
  /** Why requests were refused; empty when all is well. */
  readonly faults: readonly string[];
}

/**
 * Starts Chat Completions and the Responses API on loopback. It refuses what the real ones refuse, and ends with the test.
 *
 * @param answer what the model says to the request of a number, from 1
 * @param manners who may follow whom
 */
export async function startOpenAIEndpoint(
  answer: (number: number, request: OpenAIRequest) => OpenAIAnswer | Promise<OpenAIAnswer> = () => 'ok',
  manners: ChatManners = 'openai',
): Promise<OpenAIEndpoint> {
  const requests: OpenAIRequest[] = [];
  const faults: string[] = [];
  const threads = new Map<string, readonly Json[]>();
  const handle = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = incoming.url ?? '';
    const raw = await text(incoming);
    const body = JSON.parse(raw) as Json;
    const named = body['conversation'] as { readonly id: string } | string | undefined;
    const conversation = typeof named === 'object' ? named.id : named;
    const before = (body['previous_response_id'] as string | null | undefined) ?? conversation;
    const earlier = before === undefined ? [] : threads.get(before);
    const request = { path, raw, body, headers: incoming.headers, earlier: earlier ?? [] };
    requests.push(request);
    const number = requests.length;
    if (!/\/(chat\/completions|responses)(\/input_tokens)?(\?|$)/.test(path)) {
      sendJson(response, 200, { object: 'list', data: [] });
      return;
    }
    const isChat = /\/chat\/completions(\?|$)/.test(path);
    const fault = isChat
      ? chatFault(raw, body, manners)
      : earlier === undefined && conversation === undefined
        ? `no response ${before}`
        : responsesFault(raw, body, earlier ?? []);
    if (fault !== undefined) {
      faults.push(fault);
      sendJson(response, 400, { error: { message: fault, type: 'invalid_request_error' } });
      return;
    }
    const said = await answer(number, request);
    if (typeof said === 'object' && 'status' in said) {
      sendJson(response, said.status, { error: { message: 'busy', type: 'server_error' } });
      return;
    }
    const { text: words = '', calls = [] } = typeof said === 'string' ? { text: said } : said;
    if (isChat) {
      send(response, body, chatCompletion(number, words, calls), chatEvents);
      return;
    }
    const output = outputOf(number, words, calls);
    const input = body['input'];
    const items = typeof input === 'string' ? [{ role: 'user', content: input }] : (input as readonly Json[]);
    const history = [...(earlier ?? []), ...items, ...output];
    threads.set(`resp_${number}`, history);
    if (conversation !== undefined) threads.set(conversation, history);
    const whole = {
      id: `resp_${number}`,
      object: 'response',
      created_at: 1,
      status: 'completed',
      model: 'gpt-5',
      ...(conversation === undefined ? {} : { conversation: { id: conversation } }),
      output,
      usage: {
        input_tokens: 1000,
        input_tokens_details: { cached_tokens: 0 },
        output_tokens: 5,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: 1005,
      },
    };
    send(response, body, whole, responseEvents);
  };
  const server = createServer((incoming, response) => {
    handle(incoming, response).catch((error: unknown) => {
      faults.push(String(error));
      sendJson(response, 500, { error: { message: String(error) } });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return { url: `http://127.0.0.1:${address.port}`, requests, faults };
}

type Calls = readonly { readonly id: string; readonly name: string }[];

function chatCompletion(number: number, words: string, calls: Calls): Json {
  const toolCalls = calls.map(({ id, name }) => ({
    id,
    type: 'function',
    function: { name, arguments: '{}' },
  }));
  return {
    id: `chatcmpl_${number}`,
    object: 'chat.completion',
    created: 1,
    model: 'gpt-5',
    choices: [
      {
        index: 0,
        finish_reason: calls.length > 0 ? 'tool_calls' : 'stop',
        message: {
          role: 'assistant',
          content: words === '' ? null : words,
          ...(calls.length > 0 ? { tool_calls: toolCalls } : {}),
        },
      },
    ],
    usage: { prompt_tokens: 1000, completion_tokens: 5, total_tokens: 1005 },
  };
}

function chatEvents(whole: Json): Json[] {
  const [choice] = whole['choices'] as readonly { message: Json; finish_reason: string }[];
  const message = choice?.message ?? {};
  const chunk = (delta: Json, finish: string | null): Json => ({
    ...whole,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason: finish }],
    usage: null,
  });
  const calls = (message['tool_calls'] as readonly Json[] | undefined)?.map((call, index) => ({
    ...call,
    index,
  }));
  return [
    chunk({ role: 'assistant', content: message['content'] ?? '' }, null),
    chunk(calls === undefined ? {} : { tool_calls: calls }, choice?.finish_reason ?? 'stop'),
    { ...whole, object: 'chat.completion.chunk', choices: [] },
  ];
}

function outputOf(number: number, words: string, calls: Calls): Json[] {
  const message = {
    type: 'message',
    id: `msg_${number}`,
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text: words, annotations: [] }],
  };
  const called = calls.map(({ id, name }) => ({
    type: 'function_call',
    id: `fc_${id}`,
    call_id: id,
    name,
    arguments: '{}',
    status: 'completed',
  }));
  return [...(words === '' ? [] : [message]), ...called];
}

function responseEvents(whole: Json): Json[] {
  const events: Json[] = [
    { type: 'response.created', response: { ...whole, status: 'in_progress', output: [] } },
  ];
  for (const [index, item] of (whole['output'] as readonly Json[]).entries()) {
    const at = { output_index: index, item_id: item['id'] };
    events.push({ type: 'response.output_item.added', output_index: index, item: { ...item, content: [] } });
    if (item['type'] === 'message') {
      const [part] = item['content'] as readonly Json[];
      events.push(
        { type: 'response.content_part.added', ...at, content_index: 0, part: { ...part, text: '' } },
        { type: 'response.output_text.delta', ...at, content_index: 0, delta: part?.['text'] },
        { type: 'response.output_text.done', ...at, content_index: 0, text: part?.['text'] },
        { type: 'response.content_part.done', ...at, content_index: 0, part },
      );
    }
    events.push({ type: 'response.output_item.done', output_index: index, item });
  }
  events.push({ type: 'response.completed', response: whole });
  return events.map((event, number) => ({ ...event, sequence_number: number }));
}

function send(response: ServerResponse, body: Json, whole: Json, eventsOf: (whole: Json) => Json[]): void {
  if (body['stream'] !== true) {
    sendJson(response, 200, whole);
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of eventsOf(whole)) {
    if (typeof event['type'] === 'string') response.write(`event: ${event['type']}\n`);
    response.write(`data: ${JSON.stringify(event)}\n\n`);
  }
  response.end('data: [DONE]\n\n');
}

function sendJson(response: ServerResponse, status: number, body: Json): void {
  response.writeHead(status, { 'content-type': 'application/json', 'retry-after-ms': '1' });
  response.end(JSON.stringify(body));
}
