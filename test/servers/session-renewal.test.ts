import { afterEach, describe, expect, it } from 'vitest';

import { SessionRenewal } from '../../src/servers/session-renewal.js';
import { LabHttp, type LabHttpScript } from '../fixtures/servers/lab-http.js';
import { manage, reach } from './support/lab.js';
import { ManualClock } from './support/manual-clock.js';

interface Asked {
  readonly verb: string;
  readonly method: string | undefined;
  readonly session: string | null;
}

/** A server as a function: `answer` sees each request. */
function serve(answer: (asked: Asked) => Response | Promise<Response>): {
  readonly asked: Asked[];
  readonly clock: ManualClock;
  readonly sessions: SessionRenewal;
  readonly lost: () => readonly string[];
  post(method: string, id?: number, version?: string): Promise<Response>;
} {
  const asked: Asked[] = [];
  const lost: string[] = [];
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
      return await answer(request);
    },
    {
      clock,
      signal: () => new AbortController().signal,
      onRenewed: () => {},
      onLost: (why) => lost.push(why),
    },
  );
  const send = async (message: object, headers: Record<string, string>): Promise<Response> =>
    await sessions.fetch('http://127.0.0.1/mcp', {
      method: 'POST',
      headers,
      body: JSON.stringify(message),
    });
  return {
    asked,
    clock,
    sessions,
    lost: () => lost,
    post: async (method, id = 7, version = '2025-06-18') =>
      await send(
        { jsonrpc: '2.0', id, method },
        method === 'initialize' ? {} : { 'mcp-session-id': 'a', 'mcp-protocol-version': version },
      ),
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
      lost: server.lost().length,
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

describe('what a server may say to the second `initialize`', () => {
  const reply = { jsonrpc: '2.0', id: 7, result: { protocolVersion: '2025-06-18' } };
  const json = JSON.stringify(reply);
  const lines = JSON.stringify(reply, null, 1).split('\n');
  const note = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: {} });

  function stream(text: string, isOpen = false): Response {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const byte of new TextEncoder().encode(text)) controller.enqueue(Uint8Array.of(byte));
        if (!isOpen) controller.close();
      },
    });
    return new Response(body, {
      headers: { 'content-type': 'text/event-stream', 'mcp-session-id': 'b' },
    });
  }

  const forms: Record<string, () => Response> = {
    JSON: () => new Response(json, { headers: { 'mcp-session-id': 'b' } }),
    'JSON after white space': () => new Response(`\n\t ${json}`, { headers: { 'mcp-session-id': 'b' } }),
    'JSON in a list': () => new Response(`[${json}]`, { headers: { 'mcp-session-id': 'b' } }),
    'its id as a string': () =>
      new Response(json.replace('7', '"7"'), { headers: { 'mcp-session-id': 'b' } }),
    'an event': () => stream(`event: message\ndata: ${json}\n\n`),
    'an event on a stream that stays open': () => stream(`data:${json}\n\n`, true),
    'an event in many lines': () => stream(lines.map((line) => `data: ${line}\n`).join('') + '\n', true),
    'an event with other ends of lines': () => stream(`: hello\r\ndata: ${json}\r\n\r\n`, true),
    'an event after another one': () => stream(`data: ${note}\r\rdata: ${json}\r\r\r`),
    'an event that the end of the stream cuts off': () => stream(`data: ${json}`),
  };
  it.each(Object.keys(forms))('%s', async (name) => {
    const server = serve((asked) => {
      if (asked.method === 'initialize')
        return asked.session === null && server.asked.length === 1
          ? opened('a')
          : (forms[name]?.() ?? new Response(null));
      return new Response(null, { status: asked.session === 'b' ? 202 : 404 });
    });
    await server.post('initialize');
    expect((await server.post('tools/list')).status).toBe(202);
    expect(server.lost()).toEqual([]);
  });

  it('no session id: from then on requests carry none', async () => {
    const server = serve((asked) => {
      if (asked.method === 'initialize')
        return server.asked.length === 1 ? opened('a') : Response.json(reply);
      return new Response(null, { status: asked.session === null ? 202 : 404 });
    });
    await server.post('initialize');
    expect((await server.post('tools/list')).status).toBe(202);
    expect((await server.post('tools/list')).status).toBe(202);
    expect(server.asked.filter(({ method }) => method === 'initialize')).toHaveLength(2);
  });

  it('a reason phrase that no Response can be made with, to a refresh', async () => {
    const server = serve(() => Object.defineProperty(opened('a'), 'statusText', { value: '✓' }));
    await server.post('initialize');
    expect((await server.post('initialize')).status).toBe(200);
  });

  it.each([
    ['an error', () => Response.json({ jsonrpc: '2.0', id: 7, error: { code: -32_601, message: 'x' } })],
    ['the answer to something else', () => Response.json({ ...reply, id: 8 })],
    ['no version', () => Response.json({ ...reply, result: {} })],
    ['an empty stream', () => stream('')],
    ['HTTP 500', () => Response.json(reply, { status: 500 })],
  ])('%s opens none', async (_, answer) => {
    const server = serve((asked) => {
      if (asked.method !== 'initialize') return new Response(null, { status: 404 });
      return server.asked.length === 1 ? opened('a') : answer();
    });
    await server.post('initialize');
    expect((await server.post('tools/list')).status).toBe(404);
    expect(server.lost()).toEqual(['the session ended and could not be renewed']);
  });

  it('another revision is a loss, and the session is ended', async () => {
    const server = serve((asked) => {
      if (asked.method === 'initialize') return opened(server.asked.length === 1 ? 'a' : 'b');
      return new Response(null, { status: asked.verb === 'DELETE' ? 200 : 404 });
    });
    await server.post('initialize');
    expect((await server.post('tools/list', 7, '2025-11-25')).status).toBe(404);
    expect(server.lost()).toEqual(['the session ended, and the server speaks another revision since']);
    await expect.poll(() => server.asked.at(-1)).toMatchObject({ verb: 'DELETE', session: 'b' });
    expect(server.asked.map(({ method }) => method)).not.toContain('notifications/initialized');
  });

  it.each(['initialize', 'notifications/initialized'])(
    'nothing, to %s, by way of a `fetch` that is deaf to signals: one loss, and later requests go on',
    async (silent) => {
      const server = serve((asked) => {
        if (asked.method === silent && server.asked.length > 1) return new Promise(() => {});
        if (asked.method === 'initialize') return opened(server.asked.length === 1 ? 'a' : 'b');
        return new Response(null, { status: asked.method === 'ping' ? 202 : 404 });
      });
      await server.post('initialize');
      const first = server.post('tools/list');
      await expect.poll(() => server.asked.at(-1)?.method).toBe(silent);
      const second = server.post('ping');
      server.clock.advance(10_000);
      expect((await first).status).toBe(404);
      expect((await second).status).toBe(202);
      expect((await server.post('ping')).status).toBe(202);
      expect(server.lost()).toEqual(['the session ended and could not be renewed']);
    },
  );
});

describe('a server over HTTP', () => {
  const open: Array<() => Promise<void>> = [];
  afterEach(async () => {
    for (const close of open.splice(0)) await close();
  });

  async function connect(
    script: LabHttpScript,
    clock?: ManualClock,
  ): Promise<{
    readonly lab: LabHttp;
    readonly manager: ReturnType<typeof manage>['manager'];
  }> {
    const lab = await LabHttp.start(script);
    const { manager } = manage(clock === undefined ? {} : { clock });
    open.push(
      () => manager.close(),
      () => lab.close(),
    );
    manager.add('one', { url: lab.url });
    await manager.whenSettled();
    return { lab, manager };
  }

  it('that comes back with an older revision is connected anew, with a client of that revision', async () => {
    const script: LabHttpScript = { text: 'x', eras: ['legacy'], sessionFault: { status: 404 } };
    const clock = new ManualClock();
    const { lab, manager } = await connect(script, clock);
    const client = manager.client('one');
    lab.forgetSessions();
    lab.script = { ...script, revision: '2025-06-18' };
    const lost = reach(manager, 'one', 'unavailable');
    await expect(client?.listTools()).rejects.toThrow('Error POSTing');
    expect(await lost).toMatchObject({ reason: { kind: 'connection-lost' } });
    const back = reach(manager, 'one', 'connected');
    await expect.poll(() => clock.nextMs).toBeDefined();
    clock.advance(1_200);
    expect(await back).toMatchObject({ protocolVersion: '2025-06-18' });
    expect(manager.client('one')?.getNegotiatedProtocolVersion()).toBe('2025-06-18');
    await expect(manager.client('one')?.listTools()).resolves.toBeDefined();
  });

  it('ends the session of a refresh, also where the answer comes over a stream that stays open', async () => {
    const { lab, manager } = await connect({ text: 'x', eras: ['legacy'], sessionFault: { status: 404 } });
    lab.script = { ...lab.script, stream: true, keepsStreams: true };
    expect(await manager.refresh('one')).toMatchObject({ value: 'x' });
    await expect
      .poll(() => lab.requests.findLast(({ verb }) => verb === 'DELETE')?.session)
      .toBe('session-2');
  });

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
