import type { FetchLike } from '@modelcontextprotocol/client';

import type { Clock } from './clock.js';
import { Deadline } from './deadline.js';
import { discard, withinOrigin } from './http-redirect.js';
import { readReply } from './http-reply.js';
import { idKey } from './message-id.js';

const sessionHeader = 'mcp-session-id';
const versionHeader = 'mcp-protocol-version';
/** How long a server may take to open another session, or to end one, in ms. */
const renewalMs = 10_000;
/** How much of a refusal is looked at, in UTF-16 units. */
const maxTroubleChars = 2_000;

/** What a renewal works with, and leads to. */
export interface RenewalParts {
  readonly clock: Clock;
  /** Aborts when the connection is over; read anew each time. */
  readonly signal: () => AbortSignal;
  /** A session was opened in place of a lost one; `result` is what the server said to `initialize`. */
  readonly onRenewed: (result: object) => void;
  /** No session could be opened that the client above can go on with. `why` is for people. */
  readonly onLost: (why: string) => void;
}

/** A session; its id is `null` where the server gave none and so wants none. */
interface Session {
  readonly id: string | null;
}

/**
 * Opens a new session where the server no longer knows the old one, and repeats the request once. The client above keeps the id it
 * was given first, so that it stays usable; requests carry the newest id in its place. Any number of requests that find the session
 * lost share one renewal. A server that comes back with another revision needs another client, so that is a loss.
 */
export class SessionRenewal {
  readonly #fetch: FetchLike;
  /** For the requests that are made here: what the client above sends keeps to its own rules. */
  readonly #ownFetch: FetchLike;
  readonly #parts: RenewalParts;
  #initialize: string | undefined;
  /** The id that the client above was given. */
  #first: string | undefined;
  /** What requests carry; `undefined` while that is the client's own. Ids come from the server, which may give one twice. */
  #session: Session | undefined;
  /** How many sessions followed each other; tells a request whether its session was renewed while it was under way. */
  #generation = 0;
  #renewing: Promise<boolean> | undefined;

  /** @param fetch what carries the requests; the bodies of errors that it gives end */
  constructor(fetch: FetchLike, parts: RenewalParts) {
    this.#fetch = fetch;
    this.#ownFetch = withinOrigin(fetch);
    this.#parts = parts;
  }

  /** Carries one request. */
  readonly fetch: FetchLike = async (url, init) => {
    const headers = new Headers(init?.headers);
    const message = readPosted(init);
    if (message?.method === 'initialize') return await this.#handshake(url, init, headers, message.id);
    const own = headers.get(sessionHeader);
    if (own === null) return await this.#fetch(url, init);
    // The renewal under way decides which session this one belongs to.
    await this.#renewing;
    const generation = this.#generation;
    const response = await this.#fetch(url, withSession(init, headers, this.#current(own)));
    if (message === undefined || !(await isSessionLost(response, message))) return response;
    if (generation === this.#generation && !(await this.#renew(url, headers))) return response;
    // A server that is out of order may have done the work all the same.
    if (response.status === 503 && message.method === 'tools/call') return response;
    discard(response);
    // A second refusal right after that is not about the session; it is the caller's to see, and nothing loops.
    return await this.#fetch(url, withSession(init, headers, this.#current(own)));
  };

  #current(own: string): string | null {
    return this.#session === undefined ? own : this.#session.id;
  }

  /**
   * The first `initialize` opens the client's session. A later one only asks what the server says now: the session it opens is ended,
   * and the client keeps its own.
   */
  async #handshake(
    url: string | URL,
    init: RequestInit | undefined,
    headers: Headers,
    id: unknown,
  ): Promise<Response> {
    if (typeof init?.body === 'string') this.#initialize = init.body;
    const response = await this.#fetch(url, init);
    const opened = response.headers.get(sessionHeader);
    if (this.#first === undefined) {
      if (response.ok) this.#first = opened ?? undefined;
      return response;
    }
    if (opened !== null && opened !== this.#current(this.#first))
      void this.#endSession(url, headers, opened, readReply(response.clone(), id));
    const kept = new Headers(response.headers);
    kept.set(sessionHeader, this.#first);
    // Without the reason phrase: servers send any bytes there, and no `Response` can be made with some.
    return new Response(response.body, { status: response.status, headers: kept });
  }

  /** @param answered what to wait for: the session may be what carries it */
  async #endSession(
    url: string | URL,
    own: Headers,
    session: string,
    answered?: Promise<unknown>,
  ): Promise<void> {
    await this.#bounded(async (signal) => {
      await answered;
      const headers = withSession(undefined, own, session).headers ?? {};
      discard(await this.#ownFetch(url, { method: 'DELETE', headers, signal }));
    }).catch(() => {
      // The server forgets it some day.
    });
  }

  #renew(url: string | URL, headers: Headers): Promise<boolean> {
    this.#renewing ??= this.#openSession(url, headers).finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  async #openSession(url: string | URL, headers: Headers): Promise<boolean> {
    const opened = await this.#bounded((signal) => this.#initializeAgain(url, headers, signal)).catch(
      () => 'the session ended and could not be renewed',
    );
    if (typeof opened === 'string') {
      this.#parts.onLost(opened);
      return false;
    }
    this.#session = opened.session;
    this.#generation += 1;
    this.#parts.onRenewed(opened.result);
    return true;
  }

  /** Whoever carries requests may be deaf to signals, so nothing is waited for that has no end of its own. */
  async #bounded<Value>(work: (signal: AbortSignal) => Promise<Value>): Promise<Value> {
    const deadline = new Deadline(this.#parts.clock, renewalMs, this.#parts.signal());
    try {
      return await deadline.race(work(deadline.signal));
    } finally {
      deadline.clear();
    }
  }

  /** @returns why not, where the client above cannot go on */
  async #initializeAgain(
    url: string | URL,
    old: Headers,
    signal: AbortSignal,
  ): Promise<{ readonly session: Session; readonly result: object } | string> {
    const headers = new Headers(old);
    for (const name of [sessionHeader, versionHeader, 'last-event-id']) headers.delete(name);
    headers.set('content-type', 'application/json');
    headers.set('accept', 'application/json, text/event-stream');
    const post = async (body: string): Promise<Response> =>
      await this.#ownFetch(url, { method: 'POST', headers, signal, body });
    if (this.#initialize === undefined) throw new Error('there was no handshake');
    // The same words as before, id and all: it is the first message of its session, as it was then.
    const response = await post(this.#initialize);
    const result = response.ok ? await readReply(response, readMessage(this.#initialize).id) : undefined;
    discard(response);
    if (result === undefined) throw new Error('no session was opened');
    const id = response.headers.get(sessionHeader);
    const version: unknown = Reflect.get(result, 'protocolVersion');
    if (typeof version !== 'string') throw new Error('no version was negotiated');
    headers.set(versionHeader, version);
    if (id !== null) headers.set(sessionHeader, id);
    const known = old.get(versionHeader);
    if (known !== null && known !== version) {
      if (id !== null) void this.#endSession(url, headers, id);
      return 'the session ended, and the server speaks another revision since';
    }
    discard(await post(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })));
    return { session: { id }, result };
  }
}

/** What transports say of the session itself; the word alone may as well be about an argument of a tool. */
const sessionTrouble =
  /\b(?:no valid|invalid|invalid or missing|missing|unknown|expired|no such) (?:mcp[- ])?session(?:[- ]id)?\b|\b(?:mcp-)?session(?:[- ]id)?(?: header)?(?: is| was| has)?(?: been)? (?:not found|not valid|invalid|unknown|missing|required|expired|closed|terminated|does not exist)\b/iu;

/**
 * The specification says 404, and that for POSTs: many servers answer so to a GET that they do not know. Servers in the wild say 400
 * or 503 as well, and name the session in words. What answers the very request is about the request.
 */
async function isSessionLost(response: Response, message: Message): Promise<boolean> {
  if (response.status === 404) return true;
  if (response.status !== 400 && response.status !== 503) return false;
  const text = await response.clone().text();
  const answered: unknown = Reflect.get(parseObject(text), 'id');
  if (answered !== undefined && answered !== null && idKey(answered) === idKey(message.id)) return false;
  return sessionTrouble.test(text.slice(0, maxTroubleChars));
}

function withSession(init: RequestInit | undefined, headers: Headers, session: string | null): RequestInit {
  const copy = new Headers(headers);
  if (session === null) copy.delete(sessionHeader);
  else copy.set(sessionHeader, session);
  return { ...init, headers: copy };
}

/** What a POST carries, as far as it matters here. */
interface Message {
  readonly method: unknown;
  readonly id: unknown;
}

/** @returns `undefined` for anything but a POST of a message */
function readPosted(init: RequestInit | undefined): Message | undefined {
  return init?.method === 'POST' && typeof init.body === 'string' ? readMessage(init.body) : undefined;
}

function readMessage(body: string | undefined): Message {
  const message = parseObject(body ?? '');
  return { method: Reflect.get(message, 'method'), id: Reflect.get(message, 'id') };
}

function parseObject(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}
