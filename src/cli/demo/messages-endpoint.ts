import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';

import { messageEvents } from './message-events.js';
import {
  roughTokens,
  toMessage,
  type Answer,
  type AnswerBlock,
  type ErrorAnswer,
} from './messages-answer.js';

export type { Answer, AnswerBlock } from './messages-answer.js';

/** The paths that are answered. */
export type EndpointPath = 'messages' | 'count_tokens' | 'batches';

/** One request as it came over the wire. */
export interface RecordedRequest {
  readonly path: EndpointPath;
  /** The body byte for byte. */
  readonly raw: string;
  /** The body parsed. */
  readonly body: RequestBody;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** One message of a request, as the client sent it. */
export interface RequestMessage {
  readonly role: string;
  readonly content: string | readonly AnswerBlock[];
}

/** A parsed body. It is typed as the API asks for it; nothing is checked. */
export interface RequestBody {
  readonly model: string;
  readonly messages: readonly RequestMessage[];
  readonly stream?: boolean;
  readonly [field: string]: unknown;
}

/** Which request an answer is for. */
export interface EndpointCall {
  /** Its number over all paths, from 1. */
  readonly number: number;
  readonly path: EndpointPath;
}

/** Options of {@link startMessagesEndpoint}. */
export interface EndpointOptions {
  /**
   * Says what is answered. What it throws becomes a 500 that the SDK does not retry. `undefined` gives the default.
   *
   * @default a message "ok", a rough count, or a batch under way
   */
  readonly answer?: (
    body: RequestBody,
    call: EndpointCall,
  ) => Answer | undefined | Promise<Answer | undefined>;
}

/** A running endpoint. */
export interface MessagesEndpoint {
  /** What to give an Anthropic client as `baseURL`. */
  readonly url: string;
  /** Every request that came, in order. */
  readonly requests: readonly RecordedRequest[];
  /** Ends it and every open connection. Safe to call twice. */
  close(): Promise<void>;
}

const PATHS: ReadonlyMap<string, EndpointPath> = new Map([
  ['/v1/messages', 'messages'],
  ['/v1/messages/count_tokens', 'count_tokens'],
  ['/v1/messages/batches', 'batches'],
]);

/**
 * Starts a Messages endpoint on loopback that answers as it is told and keeps what it was sent. No key is looked at.
 *
 * @param options what it answers
 */
export async function startMessagesEndpoint({ answer }: EndpointOptions = {}): Promise<MessagesEndpoint> {
  const requests: RecordedRequest[] = [];
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = PATHS.get((request.url ?? '').replace(/\?.*$/s, ''));
    const raw = await readBody(request);
    if (path === undefined || request.method !== 'POST') {
      sendError(response, { status: 404, error: { type: 'not_found_error', message: 'no such path' } });
      return;
    }
    const body = parseObject(raw);
    if (body === undefined) {
      const message = 'the body is no JSON object';
      sendError(response, { status: 400, error: { type: 'invalid_request_error', message } });
      return;
    }
    requests.push({ path, raw, body, headers: request.headers });
    const number = requests.length;
    const said = (await answer?.(body, { number, path })) ?? defaultAnswer(path, raw, number);
    send(response, said, { body, raw, number });
  };
  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      const message = error instanceof Error ? error.message : String(error);
      const headers = { 'x-should-retry': 'false' };
      if (response.headersSent) response.destroy();
      else sendError(response, { status: 500, error: { type: 'api_error', message }, headers });
    });
  });
  const port = await listen(server);
  let closing: Promise<void> | undefined;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    close: () => (closing ??= stop(server)),
  };
}

function defaultAnswer(path: EndpointPath, raw: string, number: number): Answer {
  if (path === 'count_tokens') return { json: { input_tokens: roughTokens(raw.length) } };
  if (path === 'messages') return 'ok';
  const counts = { processing: 1, succeeded: 0, errored: 0, canceled: 0, expired: 0 };
  const id = `msgbatch_${String(number).padStart(6, '0')}`;
  return { json: { id, type: 'message_batch', processing_status: 'in_progress', request_counts: counts } };
}

function send(
  response: ServerResponse,
  said: Answer,
  { body, raw, number }: { body: RequestBody; raw: string; number: number },
): void {
  if (typeof said === 'object' && 'hangUp' in said) {
    response.destroy();
    return;
  }
  if (typeof said === 'object' && 'status' in said) {
    sendError(response, said);
    return;
  }
  if (typeof said === 'object' && 'json' in said) {
    sendJson(response, 200, said.json);
    return;
  }
  const message = toMessage(typeof said === 'string' ? { content: said } : said, {
    id: `msg_${String(number).padStart(6, '0')}`,
    model: typeof body.model === 'string' ? body.model : '',
    requestChars: raw.length,
  });
  if (body.stream !== true) {
    sendJson(response, 200, message);
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of messageEvents(message)) {
    response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  }
  response.end();
}

function sendError(response: ServerResponse, { status, error, headers }: ErrorAnswer): void {
  const body = { type: 'error', error: error ?? { type: 'api_error', message: 'scripted' } };
  sendJson(response, status, body, { 'retry-after-ms': '1', ...headers });
}

function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

function parseObject(raw: string): RequestBody | undefined {
  try {
    const parsed: RequestBody | null = JSON.parse(raw);
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      server.off('error', reject);
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
}

function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
