import type { FetchLike } from '@modelcontextprotocol/client';

const sessionHeader = 'mcp-session-id';
const renewalId = 'mcp-instructions-renewal';
/** How long a server may take to open another session, in ms. */
const renewalMs = 10_000;
/** How much of a refusal is looked at, in UTF-16 units. */
const maxTroubleChars = 2_000;

/** What a renewal leads to. */
export interface RenewalEvents {
  /** A session was opened in place of a lost one; `result` is what the server said to `initialize`. */
  readonly onRenewed: (result: object) => void;
  /** No session could be opened. */
  readonly onLost: () => void;
}

/**
 * Opens a new session where the server no longer knows the old one, and repeats the request once. The client above keeps the id it
 * was given first, so that it stays usable; requests carry the newest id in its place. Any number of requests that find the session
 * lost share one renewal.
 */
export class SessionRenewal {
  readonly #fetch: FetchLike;
  readonly #events: RenewalEvents;
  #initialize: string | undefined;
  /** The id that the client above was given. */
  #first: string | undefined;
  /** The id that requests carry; `undefined` while that is the client's own. Ids come from the server, which may give one twice. */
  #session: string | undefined;
  /** How many sessions followed each other; tells a request whether its session was renewed while it was under way. */
  #generation = 0;
  #renewing: Promise<boolean> | undefined;

  /** @param fetch what carries the requests */
  constructor(fetch: FetchLike, events: RenewalEvents) {
    this.#fetch = fetch;
    this.#events = events;
  }

  /** Carries one request. */
  readonly fetch: FetchLike = async (url, init) => {
    const headers = new Headers(init?.headers);
    const message = readMessage(init);
    if (message?.method === 'initialize') return await this.#handshake(url, init, headers);
    const own = headers.get(sessionHeader);
    if (own === null) return await this.#fetch(url, init);
    // The renewal under way decides which session this one belongs to.
    await this.#renewing;
    const generation = this.#generation;
    const response = await this.#fetch(url, withSession(init, headers, this.#session ?? own));
    if (message === undefined || !(await isSessionLost(response, message))) return response;
    if (generation === this.#generation && !(await this.#renew(url, headers))) return response;
    // A server that is out of order may have done the work all the same.
    if (response.status === 503 && message.method === 'tools/call') return response;
    await response.body?.cancel();
    // A second refusal right after that is not about the session; it is the caller's to see, and nothing loops.
    return await this.#fetch(url, withSession(init, headers, this.#session ?? own));
  };

  /**
   * The first `initialize` opens the client's session. A later one only asks what the server says now: the session it opens is ended,
   * and the client keeps its own.
   */
  async #handshake(url: string | URL, init: RequestInit | undefined, headers: Headers): Promise<Response> {
    if (typeof init?.body === 'string') this.#initialize = init.body;
    const response = await this.#fetch(url, init);
    const opened = response.headers.get(sessionHeader);
    if (this.#first === undefined) {
      if (response.ok) this.#first = opened ?? undefined;
      return response;
    }
    if (opened !== null && opened !== (this.#session ?? this.#first))
      void this.#endSession(url, headers, opened, response.clone());
    const kept = new Headers(response.headers);
    kept.set(sessionHeader, this.#first);
    const { status, statusText } = response;
    return new Response(response.body, { status, statusText, headers: kept });
  }

  async #endSession(url: string | URL, own: Headers, session: string, answer: Response): Promise<void> {
    try {
      // The answer may come over a stream that ends with the session.
      await answer.text();
      const request = withSession({ method: 'DELETE', signal: AbortSignal.timeout(renewalMs) }, own, session);
      await (await this.#fetch(url, request)).body?.cancel();
    } catch {
      // The server forgets it some day.
    }
  }

  #renew(url: string | URL, headers: Headers): Promise<boolean> {
    this.#renewing ??= this.#openSession(url, headers).finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  async #openSession(url: string | URL, headers: Headers): Promise<boolean> {
    const session = await this.#initializeAgain(url, headers).catch(() => undefined);
    if (session === undefined) this.#events.onLost();
    else {
      this.#session = session;
      this.#generation += 1;
    }
    return session !== undefined;
  }

  async #initializeAgain(url: string | URL, old: Headers): Promise<string | undefined> {
    if (this.#initialize === undefined) return undefined;
    const request: object = { ...parseObject(this.#initialize), id: renewalId };
    const headers = new Headers(old);
    for (const name of [sessionHeader, 'mcp-protocol-version', 'last-event-id']) headers.delete(name);
    headers.set('content-type', 'application/json');
    headers.set('accept', 'application/json, text/event-stream');
    const signal = AbortSignal.timeout(renewalMs);
    const post = async (message: object): Promise<Response> =>
      await this.#fetch(url, { method: 'POST', headers, signal, body: JSON.stringify(message) });
    const response = await post(request);
    const session = response.headers.get(sessionHeader);
    const result = readResult(await response.text());
    if (!response.ok || session === null || result === undefined) return undefined;
    headers.set(sessionHeader, session);
    const version: unknown = Reflect.get(result, 'protocolVersion');
    if (typeof version === 'string') headers.set('mcp-protocol-version', version);
    const initialized = await post({ jsonrpc: '2.0', method: 'notifications/initialized' });
    await initialized.body?.cancel();
    this.#events.onRenewed(result);
    return session;
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
  if (answered !== undefined && answered !== null && answered === message.id) return false;
  return sessionTrouble.test(text.slice(0, maxTroubleChars));
}

function withSession(init: RequestInit | undefined, headers: Headers, session: string): RequestInit {
  const copy = new Headers(headers);
  copy.set(sessionHeader, session);
  return { ...init, headers: copy };
}

/** What a POST carries, as far as it matters here. */
interface Message {
  readonly method: unknown;
  readonly id: unknown;
}

/** @returns `undefined` for anything but a POST of a message */
function readMessage(init: RequestInit | undefined): Message | undefined {
  if (init?.method !== 'POST' || typeof init.body !== 'string') return undefined;
  const message = parseObject(init.body);
  return { method: Reflect.get(message, 'method'), id: Reflect.get(message, 'id') };
}

/** The result in a JSON body, or in the event of a stream that answers the renewal. */
function readResult(text: string): object | undefined {
  const bodies = text.startsWith('{')
    ? [text]
    : [...text.matchAll(/^data: ?(.*)$/gmu)].map((match) => match[1] ?? '');
  for (const body of bodies) {
    const message = parseObject(body);
    const result: unknown = Reflect.get(message, 'result');
    if (Reflect.get(message, 'id') === renewalId && typeof result === 'object' && result !== null)
      return result;
  }
  return undefined;
}

function parseObject(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}
