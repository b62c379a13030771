import { type Clock, systemClock } from '../servers/clock.js';
import { answerFrom } from './answer.js';
import { usageFrom } from './answer-usage.js';
import type { CallPreparer, PreparedCall } from './prepared.js';
import { ThreadFilings } from './thread-filings.js';
import { watchResponse } from './watched-response.js';
import { isObject } from '../values.js';

/** The part of a request that a middleware of the Anthropic SDK sees, by shape. */
export interface AnthropicRequest {
  readonly url: string;
  readonly method?: string | undefined;
  readonly body?: unknown;
  readonly headers?: unknown;
  readonly signal?: AbortSignal | null | undefined;
}

/** The part of the SDK's context that is used, by shape. */
export interface AnthropicContext {
  /** The same object for every attempt of one call. */
  readonly options?: object | undefined;
  parse<Parsed = unknown>(response: Response): Promise<Parsed>;
}

/** A middleware of the Anthropic SDK, by shape. */
export type AnthropicMiddleware = <Request extends AnthropicRequest>(
  request: Request,
  next: (request: Request) => Promise<Response>,
  context: AnthropicContext,
) => Promise<Response>;

const MESSAGES_PATH = /\/v1\/messages(\/count_tokens|\/batches)?$/;

type Endpoint = 'messages' | 'count_tokens' | 'batches';

/** One call of the host, over all its attempts. */
interface Call {
  /** The body as it came. */
  readonly input: string;
  /** The body as it goes out, the same for every attempt. */
  readonly output: string;
  readonly prepared: readonly PreparedCall<unknown>[];
  /** Whether the answer is one of a server-held thread. */
  readonly isThread: boolean;
  /** Whether a model answers it at once. */
  readonly isAnswered: boolean;
  /** Whether the answer is to come as a stream. */
  readonly isStreamed: boolean;
}

function endpointOf(request: AnthropicRequest): Endpoint | undefined {
  if (request.method !== undefined && request.method.toUpperCase() !== 'POST') return undefined;
  if (!URL.canParse(request.url)) return undefined;
  const match = MESSAGES_PATH.exec(new URL(request.url).pathname);
  if (match === null) return undefined;
  return match[1] === undefined ? 'messages' : match[1] === '/batches' ? 'batches' : 'count_tokens';
}

/** A length that the host gave is that of the body as it was. */
function withBody<Request extends AnthropicRequest>(request: Request, body: string): Request {
  const { headers } = request;
  if (!(headers instanceof Headers) || !headers.has('content-length')) return { ...request, body };
  const changed = new Headers(headers);
  changed.delete('content-length');
  return { ...request, body, headers: changed };
}

/** Prepares every request that a body holds, and puts them back in their places. */
async function prepareBody(
  conversation: CallPreparer,
  endpoint: Endpoint,
  body: unknown,
  signal: AbortSignal | undefined,
): Promise<{ body: unknown; prepared: readonly PreparedCall<unknown>[] }> {
  const record = endpoint !== 'count_tokens';
  if (endpoint !== 'batches') {
    const prepared = await conversation.prepareCall<unknown>(body, { signal, record, isHeld: true });
    return { body: prepared.request, prepared: [prepared] };
  }
  if (!isObject(body) || !Array.isArray(body['requests'])) return { body, prepared: [] };
  const prepared: PreparedCall<unknown>[] = [];
  const requests: unknown[] = [];
  let isChanged = false;
  for (const item of body['requests'] as readonly unknown[]) {
    if (!isObject(item) || !isObject(item['params'])) {
      requests.push(item);
      continue;
    }
    const one = await conversation.prepareCall<unknown>(item['params'], { signal, record, isHeld: true });
    prepared.push(one);
    isChanged ||= one.request !== item['params'];
    requests.push(one.request === item['params'] ? item : { ...item, params: one.request });
  }
  return { body: isChanged ? { ...body, requests } : body, prepared };
}

/** Tells the report how large the whole request was, beside the host's own reading of the answer. */
function readUsage({ prepared }: Call, response: Response, context: AnthropicContext): void {
  context
    .parse(response)
    .then(usageFrom)
    .then((usage) => {
      for (const one of prepared) one.used(usage);
    })
    // An answer that cannot be read is the host's to see.
    .catch(() => undefined);
}

/**
 * The middleware of one conversation. It runs once for every attempt of a call: the first attempt plans, and the others send the same bytes.
 * A 2xx answer commits the plan; any other end of an attempt discards it.
 *
 * A body is parsed once a call, whatever the number of attempts, and written once, if something was placed: it must be read as it came, since
 * a middleware of the host's may have changed it. Of an answer only the usage is read, and the whole where it belongs to a server-held thread.
 *
 * @param conversation whose requests they are
 * @param clock bounds the wait for an answer that is still on its way
 */
export function anthropicMiddleware(
  conversation: CallPreparer,
  clock: Clock = systemClock,
): AnthropicMiddleware {
  const calls = new WeakMap<object, Call>();
  const filings = new ThreadFilings(clock);

  const begin = async (request: AnthropicRequest, context: AnthropicContext): Promise<Call | undefined> => {
    const endpoint = endpointOf(request);
    const input = request.body;
    if (endpoint === undefined || typeof input !== 'string') return undefined;
    const key = context.options;
    const known = key === undefined ? undefined : calls.get(key);
    if (known?.input === input) {
      for (const prepared of known.prepared) prepared.again();
      return known;
    }
    const parsed: unknown = JSON.parse(input);
    const thread = isObject(parsed) && isObject(parsed['thread']) ? parsed['thread'] : undefined;
    const before = thread?.['previous_message_id'];
    if (typeof before === 'string') await filings.whenFiled(before, () => conversation.knowsThread(before));
    const { body, prepared } = await prepareBody(conversation, endpoint, parsed, request.signal ?? undefined);
    const output = body === parsed ? input : JSON.stringify(body);
    const isThread = thread !== undefined && endpoint === 'messages';
    const isAnswered = endpoint === 'messages';
    const isStreamed = isAnswered && isObject(parsed) && parsed['stream'] === true;
    const call: Call = { input, output, prepared, isThread, isAnswered, isStreamed };
    if (key !== undefined) calls.set(key, call);
    return call;
  };

  /** @returns the response that the host gets */
  const finish = async (call: Call, original: Response, context: AnthropicContext): Promise<Response> => {
    if (context.options !== undefined) calls.delete(context.options);
    const { prepared, isThread, isAnswered, isStreamed } = call;
    const watched = isThread && isStreamed ? watchResponse(original) : undefined;
    const response = watched?.copy ?? original;
    // Before anything is waited for: once the host reads the answer, it can be parsed no more.
    const filed = isThread
      ? prepared.map((one) =>
          filings.file(one, async (onId) => await answerFrom(await context.parse(response), onId)),
        )
      : undefined;
    if (isAnswered) readUsage(call, response, context);
    // Each reading has a branch of its own: this one would only be kept in memory.
    void watched?.copy.body?.cancel().catch(() => undefined);
    // A whole answer is filed before the host has it; a stream ends only when the host has it, if it ever does.
    if (filed !== undefined && !isStreamed) await Promise.all(filed);
    else await Promise.all(prepared.map((one) => one.commit()));
    return watched?.response ?? original;
  };

  return async (request, next, context) => {
    let call: Call | undefined;
    try {
      call = await begin(request, context);
    } catch (error) {
      conversation.reportFailure(error);
    }
    if (call === undefined) return await next(request);
    let response: Response | undefined;
    try {
      response = await next(call.output === call.input ? request : withBody(request, call.output));
    } finally {
      for (const prepared of call.prepared) prepared.release();
      if (response === undefined || !response.ok) for (const prepared of call.prepared) prepared.discard();
    }
    if (!response.ok) return response;
    try {
      return await finish(call, response, context);
    } catch (error) {
      conversation.reportFailure(error);
      return response;
    }
  };
}
