import { chatFormat } from '../../formats/openai-chat.js';
import { responsesFormat, threadOf } from '../../formats/openai-responses.js';
import { spliceJson } from '../../formats/splice-json.js';
import type { FormatOptions } from '../../formats/format-shape.js';
import type { RequestFormat } from '../../formats/request-format.js';
import type { Conversation } from '../../injector.js';
import type { CallPreparer, PreparedCall } from '../../injector/prepared.js';
import { ThreadFilings } from '../../injector/thread-filings.js';
import { watchResponse } from '../../injector/watched-response.js';
import { type Clock, systemClock } from '../../servers/clock.js';
import { notExpected } from '../../errors.js';
import { checkConversation, checkOptions } from '../shared/check-arguments.js';
import { asAnswer, readEvents, type Answer } from './answer-events.js';
import { endpointOf, type Endpoint } from './endpoints.js';
import { FailedCalls } from './failed-calls.js';
import { isObject, kindOf } from '../../values.js';

/** The `fetch` of the platform, by shape. */
export type Fetch = typeof globalThis.fetch;

/** Options of {@link withInstructionsFetch}. */
export interface FetchOptions extends FormatOptions {
  /** What sends the requests. @default the platform's `fetch` */
  readonly fetch?: Fetch | undefined;
}

const fetchOptions: Readonly<Record<keyof FetchOptions, true>> = { fetch: true, afterTools: true };

/** One attempt to send a request. */
interface Attempt {
  readonly body: string;
  readonly prepared: PreparedCall<unknown>;
  /** Whether a later request can go on from the answer. */
  readonly isKept: boolean;
  /** Whether a model answers it. */
  readonly isAnswered: boolean;
  /** Whether the answer is to come as a stream. */
  readonly isStreamed: boolean;
}

/** Where a request goes; `undefined` for a `Request`, whose body is no text. */
function urlOf(input: Parameters<Fetch>[0]): string | undefined {
  if (typeof input === 'string') return input;
  return input instanceof URL ? input.href : undefined;
}

/** Which attempt of one call it is, as the SDK says; 0 when it does not say. */
function retryCount(headers: ConstructorParameters<typeof Headers>[0]): number {
  return Number(new Headers(headers).get('x-stainless-retry-count') ?? 0);
}

/** Sends requests that carry what one conversation must know. */
class InstructionsFetch {
  readonly #conversation: CallPreparer;
  readonly #fetch: Fetch | undefined;
  readonly #formats: Readonly<Record<Endpoint['api'], RequestFormat<unknown>>>;
  readonly #filings: ThreadFilings;
  readonly #failed: FailedCalls<Attempt>;
  /** The ids of answers that are on their way. */
  readonly #coming: Set<string> = new Set();

  constructor(conversation: CallPreparer, { fetch, ...options }: FetchOptions, clock: Clock) {
    this.#conversation = conversation;
    this.#fetch = fetch;
    this.#formats = { chat: chatFormat(options), responses: responsesFormat(options) };
    this.#filings = new ThreadFilings(clock);
    this.#failed = new FailedCalls(clock);
  }

  readonly send: Fetch = async (input, init) => {
    // Looked up for each request: a host may replace it later.
    const fetch = this.#fetch ?? globalThis.fetch;
    const body = init?.body;
    const url = urlOf(input);
    const endpoint = url === undefined ? undefined : endpointOf(url, init?.method);
    if (init === undefined || typeof body !== 'string' || url === undefined || endpoint === undefined) {
      return await fetch(input, init);
    }
    const key = `${url}\n${body}`;
    let attempt: Attempt | undefined;
    try {
      attempt = await this.#begin(key, body, endpoint, init);
    } catch (error) {
      this.#conversation.reportFailure(error);
    }
    if (attempt === undefined) return await fetch(input, init);
    let response: Response | undefined;
    try {
      response = await fetch(input, attempt.body === body ? init : withBody(init, attempt.body));
    } finally {
      attempt.prepared.release();
      if (response?.ok !== true) {
        attempt.prepared.discard();
        this.#failed.keep(key, attempt);
      }
    }
    if (!response.ok) return response;
    try {
      return await this.#delivered(attempt, response);
    } catch (error) {
      this.#conversation.reportFailure(error);
      return response;
    }
  };

  async #begin(
    key: string,
    body: string,
    { api, isCount }: Endpoint,
    init: NonNullable<Parameters<Fetch>[1]>,
  ): Promise<Attempt | undefined> {
    const failed = this.#failed.take(key);
    if (failed !== undefined && retryCount(init.headers) > 0) {
      failed.prepared.again();
      return failed;
    }
    const parsed: unknown = JSON.parse(body);
    const format = this.#formats[api];
    const thread = api === 'responses' ? threadOf(parsed) : undefined;
    if (thread !== undefined) {
      const isFiled = (): boolean => !this.#coming.has(thread) && this.#conversation.knowsThread(thread);
      await this.#filings.whenFiled(thread, isFiled);
    }
    const prepared = await this.#conversation.prepareCall<unknown>(parsed, {
      format,
      signal: init.signal,
      record: !isCount,
      isHeld: true,
    });
    const isStreamed = isObject(parsed) && parsed['stream'] === true;
    const isKept = api === 'responses' && !isCount && isObject(parsed) && parsed['store'] !== false;
    return {
      // Only what changed is written anew: the rest may hold numbers that JavaScript cannot.
      body: spliceJson(body, parsed, prepared.request),
      prepared,
      isKept,
      isAnswered: !isCount,
      isStreamed,
    };
  }

  /** @returns the response that the host gets */
  async #delivered(attempt: Attempt, response: Response): Promise<Response> {
    const { prepared, isKept, isAnswered } = attempt;
    if (!isKept) {
      if (isAnswered) readUsage(prepared, response);
      await prepared.commit();
      return response;
    }
    if (!isStream(attempt, response)) {
      // Before the host has it: once it is read, it cannot be copied any more.
      const copy = response.clone();
      // A whole answer is filed before the host has it.
      await this.#filings.file(prepared, async () => used(prepared, asAnswer(await copy.json())));
      return response;
    }
    const watched = watchResponse(response);
    // A stream ends only when the host has it, if it ever does.
    if (watched !== undefined) void this.#fileStream(prepared, watched.copy.body ?? []);
    await prepared.commit();
    return watched?.response ?? response;
  }

  /** Files an answer as it comes, so that one which never comes to its end is known to go on from what its request carried. */
  async #fileStream(
    prepared: PreparedCall<unknown>,
    body: AsyncIterable<unknown> | readonly unknown[],
  ): Promise<void> {
    let coming: string | undefined;
    await this.#filings.file(prepared, async (onId) => {
      return used(
        prepared,
        await readEvents(body, (id) => {
          coming = id;
          this.#coming.add(id);
          onId(id);
          void prepared.commit({ message: { id, output: [] } });
        }),
      );
    });
    if (coming !== undefined) this.#coming.delete(coming);
  }
}

/** Whether an answer comes bit by bit. The request says so, since not every server does. */
function isStream({ isStreamed }: Attempt, response: Response): boolean {
  const type = response.headers.get('content-type')?.toLowerCase() ?? '';
  return type.includes('text/event-stream') || (isStreamed && !type.includes('json'));
}

/** Tells the report how large the whole request was. */
function used(prepared: PreparedCall<unknown>, answer: Answer | undefined): Answer | undefined {
  prepared.used(answer?.usage);
  return answer;
}

/**
 * Tells the report how large the whole request was, beside the host's own reading of a whole answer. A stream is left to the host alone.
 */
function readUsage(prepared: PreparedCall<unknown>, response: Response): void {
  if (response.headers.get('content-type')?.toLowerCase().includes('json') !== true) return;
  try {
    response
      .clone()
      .json()
      .then((answer: unknown) => {
        if (isObject(answer)) prepared.used(answer['usage']);
      })
      // An answer that cannot be read is the host's to see.
      .catch(() => undefined);
  } catch {
    // Nor can one be copied that a `fetch` of the host's has read already.
  }
}

function withBody(init: NonNullable<Parameters<Fetch>[1]>, body: string): NonNullable<Parameters<Fetch>[1]> {
  const headers = new Headers(init.headers);
  // It would tell the length of the body as it came.
  headers.delete('content-length');
  return { ...init, headers, body };
}

/**
 * A `fetch` whose requests to Chat Completions and the Responses API carry what the conversation must know, for the `fetch` option of
 * `openai` 6 and later, Azure included, and of any client that passes a URL and a body of text. All other requests go out as they came.
 *
 * A 2xx answer commits; any other end forgets the plan, and a retry by the SDK sends the same bytes as the attempt before. Use a client without it for
 * side calls, such as titles and summaries.
 *
 * @param conversation whose requests they are
 * @param options see {@link FetchOptions}
 * @throws InstructionsError `INVALID_OPTION` when it is called with anything but a conversation, or with a wrong option
 */
export function withInstructionsFetch(conversation: Conversation, options?: FetchOptions): Fetch {
  checkConversation('withInstructionsFetch', conversation, 'prepareCall');
  checkOptions('withInstructionsFetch', options);
  const fetch: unknown = options?.fetch;
  if (fetch !== undefined && typeof fetch !== 'function') {
    throw notExpected('INVALID_OPTION', 'withInstructionsFetch: fetch', 'a function', kindOf(fetch));
  }
  conversation.reportUnknown('withInstructionsFetch', options, fetchOptions);
  return new InstructionsFetch(conversation, options ?? {}, systemClock).send;
}
