import { afterEach, describe, expect, it } from 'vitest';

import { SessionRenewal } from '../../src/servers/session-renewal.js';
import { LabHttp, type LabHttpScript } from '../fixtures/servers/lab-http.js';
import { manage } from './support/lab.js';
import { ManualClock } from './support/manual-clock.js';

interface Asked {
  readonly verb: string;
  readonly method: string | undefined;
  readonly session: string | null;
}

/** A server as a function: `answer` sees each request. */
function serve(answer: (asked: Asked) => Response): {
  readonly asked: Asked[];
  readonly sessions: SessionRenewal;
  readonly lost: () => number;
  post(method: string, id?: number): Promise<Response>;
} {
  const asked: Asked[] = [];
  let lost = 0;
  const clock = new ManualClock();
  const sessions = new SessionRenewal(
    async (_url, init) => {
      const message: { method?: string } = typeof init?.body === 'string' ? JSON.parse(init.body) : {};
      const request = {
        verb: init?.method ?? 'GET',
        method: message.method,
        session: new Headers(init?.headers).get('mcp-session-id'),
      };
      asked.push(request);
      return answer(request);
    },
    { clock, signal: () => new AbortController().signal, onRenewed: () => {}, onLost: () => (lost += 1) },
  );
  const send = async (message: object, session?: string): Promise<Response> =>
    await sessions.fetch('http://127.0.0.1/mcp', {
      method: 'POST',
      headers: session === undefined ? {} : { 'mcp-session-id': session },
      body: JSON.stringify(message),
    });
  return {
    asked,
    sessions,
    lost: () => lost,
    post: async (method, id = 7) =>
      await send({ jsonrpc: '2.0', id, method }, method === 'initialize' ? undefined : 'a'),
  };
}

function opened(session: string): Response {
  const body = { jsonrpc: '2.0', id: 7, result: { protocolVersion: '2025-06-18' } };
  return Response.json(body, { headers: { 'mcp-session-id': session } });
}

describe('ids that a server gives more than once', () => {
  it.each([
    ['the same one', ['a', 'a', 'a', 'a']],
    ['two in turn', ['a', 'b', 'a', 'b']],
  ])('%s: each loss is one renewal, and nothing goes round', async (_name, ids) => {
    const left = [...ids];
    let refusals = 0;
    const server = serve((asked) => {
      if (asked.method === 'initialize') return opened(left.shift() ?? 'z');
      if (asked.method !== 'tools/list' || refusals === 0) return new Response(null, { status: 202 });
      refusals -= 1;
      return new Response(null, { status: 404 });
    });
    await server.post('initialize');
    for (const id of ids.slice(1)) {
      refusals = 1;
      expect((await server.post('tools/list')).status).toBe(202);
      expect(server.asked.at(-1)?.session).toBe(id);
    }
    expect(server.asked.filter(({ method }) => method === 'initialize')).toHaveLength(4);
  });
});

describe('what says that a session is lost', () => {
  async function ask(
    refusal: () => Response,
    verb: string,
    method = 'tools/call',
  ): Promise<{ readonly initializes: number; readonly calls: number; readonly lost: number }> {
    const server = serve((asked) =>
      asked.method === 'initialize'
        ? opened('b')
        : asked.method === 'notifications/initialized'
          ? new Response(null, { status: 202 })
          : refusal(),
    );
    await server.post('initialize');
    if (verb === 'POST') await server.post(method);
    else
      await server.sessions.fetch('http://127.0.0.1/mcp', {
        method: verb,
        headers: { 'mcp-session-id': 'a' },
      });
    return {
      initializes: server.asked.filter((asked) => asked.method === 'initialize').length,
      calls: server.asked.filter((asked) => asked.verb === verb && asked.method !== 'initialize').length,
      lost: server.lost(),
    };
  }

  it.each(['GET', 'DELETE'])('a 404 to a %s says nothing of it', async (verb) => {
    const seen = await ask(() => new Response(null, { status: 404 }), verb);
    expect(seen).toEqual({ initializes: 1, calls: 1, lost: 0 });
  });

  it.each([
    [400, 'Unknown argument session_name'],
    [400, 'the session of parliament is over'],
    [503, 'too many sessions'],
    [500, 'unknown session'],
  ])('HTTP %i with %j is the answer to the call', async (status, body) => {
    expect(await ask(() => new Response(body, { status }), 'POST')).toEqual({
      initializes: 1,
      calls: 1,
      lost: 0,
    });
  });

  it('an error that answers the very request is about the request, whatever it says', async () => {
    const body = { jsonrpc: '2.0', id: 7, error: { code: -32_602, message: 'Missing session ID' } };
    const seen = await ask(() => Response.json(body, { status: 400 }), 'POST');
    expect(seen).toEqual({ initializes: 1, calls: 1, lost: 0 });
  });

  it.each([
    'Bad Request: No valid session ID provided',
    'Bad Request: Missing session ID',
    'Invalid or missing session ID',
    'Session not found',
    'Mcp-Session-Id header is required',
    'session has been terminated',
  ])('HTTP 400 with %j is', async (message) => {
    const body = { jsonrpc: '2.0', id: null, error: { code: -32_000, message } };
    expect((await ask(() => Response.json(body, { status: 400 }), 'POST')).initializes).toBe(2);
  });

  it('after a 503 a tool call is never sent again', async () => {
    const refusal = (): Response => new Response('unknown session', { status: 503 });
    const call = await ask(refusal, 'POST');
    expect(call.initializes).toBe(2);
    expect(call.calls - 1).toBe(1);
    expect((await ask(refusal, 'POST', 'tools/list')).calls - 1).toBe(2);
  });
});

describe('a server over HTTP', () => {
  const open: Array<() => Promise<void>> = [];
  afterEach(async () => {
    for (const close of open.splice(0)) await close();
  });

  async function connect(script: LabHttpScript): Promise<{
    readonly lab: LabHttp;
    readonly manager: ReturnType<typeof manage>['manager'];
  }> {
    const lab = await LabHttp.start(script);
    const { manager } = manage();
    open.push(
      () => manager.close(),
      () => lab.close(),
    );
    manager.add('one', { url: lab.url });
    await manager.whenSettled();
    return { lab, manager };
  }

  it('that answers 404 to GETs keeps its one session', async () => {
    const { lab, manager } = await connect({
      text: 'x',
      eras: ['legacy'],
      sessionFault: { status: 404 },
      faults: { GET: { status: 404 } },
    });
    await expect.poll(() => lab.requests.filter(({ verb }) => verb === 'GET').length).toBeGreaterThan(0);
    await manager.client('one')?.listTools();
    expect(lab.count('initialize')).toBe(1);
    expect(manager.status('one')?.state.state).toBe('connected');
  });

  it('has one session after any number of refreshes, and the client keeps it', async () => {
    const { lab, manager } = await connect({
      text: 'x',
      eras: ['legacy'],
      sessionFault: { status: 404 },
      numbered: true,
    });
    expect(await manager.refresh('one')).toMatchObject({ value: 'x 2' });
    expect(await manager.refresh('one')).toMatchObject({ value: 'x 3' });
    const ended = (): readonly (string | undefined)[] =>
      lab.requests.filter(({ verb }) => verb === 'DELETE').map(({ session }) => session);
    await expect.poll(ended).toEqual(['session-2', 'session-3']);
    await manager.client('one')?.listTools();
    expect(lab.requests.at(-1)?.session).toBe('session-1');
    await manager.close();
    expect(ended()).toEqual(['session-2', 'session-3', 'session-1']);
  });
});
