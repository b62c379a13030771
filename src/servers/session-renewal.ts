import type { FetchLike } from '@modelcontextprotocol/client';

const sessionHeader = 'mcp-session-id';
const renewalId = 'mcp-instructions-renewal';
/** How long a server may take to open another session, in ms. */
const renewalMs = 10_000;

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
  readonly #successors: Map<string, Promise<string | undefined>> = new Map();
  #initialize: string | undefined;

  /** @param fetch what carries the requests */
  constructor(fetch: FetchLike, events: RenewalEvents) {
    this.#fetch = fetch;
    this.#events = events;
  }

  /** Carries one request. */
  readonly fetch: FetchLike = async (url, init) => {
    const headers = new Headers(init?.headers);
    const first = headers.get(sessionHeader);
    if (first === null) {
      if (typeof init?.body === 'string' && isInitialize(init.body)) this.#initialize = init.body;
      return await this.#fetch(url, init);
    }
    const session = await this.#newest(first);
    const response = await this.#fetch(url, withSession(init, headers, session));
    if (init?.method === 'DELETE' || !(await isSessionLost(response))) return response;
    const successor = await this.#renew(session, url, headers);
    if (successor === undefined) return response;
    await response.body?.cancel();
    // A second refusal right after that is not about the session; it is the caller's to see, and nothing loops.
    return await this.#fetch(url, withSession(init, headers, successor));
  };

  async #newest(session: string): Promise<string> {
    let newest = session;
    for (let next = this.#successors.get(newest); next !== undefined; next = this.#successors.get(newest)) {
      const successor = await next;
      if (successor === undefined) break;
      newest = successor;
    }
    return newest;
  }

  #renew(session: string, url: string | URL, headers: Headers): Promise<string | undefined> {
    const running = this.#successors.get(session);
    if (running !== undefined) return running;
    const renewal = this.#initializeAgain(url, headers).catch(() => undefined);
    this.#successors.set(session, renewal);
    void renewal.then((successor) => {
      if (successor === undefined) this.#successors.delete(session);
      if (successor === undefined) this.#events.onLost();
      return successor;
    });
    return renewal;
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

/** The specification says 404. Servers in the wild say 400 or 503 as well, and name the session in words. */
async function isSessionLost(response: Response): Promise<boolean> {
  if (response.status === 404) return true;
  if (response.status !== 400 && response.status !== 503) return false;
  return /\bsession/iu.test(await response.clone().text());
}

function withSession(init: RequestInit | undefined, headers: Headers, session: string): RequestInit {
  const copy = new Headers(headers);
  copy.set(sessionHeader, session);
  return { ...init, headers: copy };
}

function isInitialize(body: string): boolean {
  return body.length < 1_000_000 && Reflect.get(parseObject(body), 'method') === 'initialize';
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
