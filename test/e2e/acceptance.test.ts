import { createServer } from 'node:net';
import { spawn } from 'node:child_process';
import type Anthropic from '@anthropic-ai/sdk';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import type { RequestBody } from '../../src/cli/demo/messages-endpoint.js';
import { fixture, installed, lab, livingProcesses, testMarker } from '../servers/support/lab.js';
import { MODEL, startHost, type TestHost } from '../support/host.js';
import { deepFreeze, isBlockText, prefixBreak, readRequest } from '../support/request-reader.js';

type Messages = Parameters<typeof readRequest>[0];

const ask = (content: Anthropic.MessageParam['content']): Anthropic.MessageParam => ({
  role: 'user',
  content,
});
const toolResult = (id: string): Anthropic.MessageParam =>
  ask([{ type: 'tool_result', tool_use_id: id, content: `result of ${id}` }]);
const params = (messages: Anthropic.MessageParam[]) => deepFreeze({ model: MODEL, max_tokens: 64, messages });

function blocksOf(body: RequestBody): string[] {
  return body.messages.flatMap(({ content }) =>
    typeof content === 'string' ? [] : content.map((block) => block['text']).filter(isBlockText),
  );
}

async function send(host: TestHost, ...messages: Anthropic.MessageParam[]): Promise<RequestBody> {
  await host.claude.messages.create(params(messages));
  return host.endpoint.requests.at(-1)!.body;
}

/** The text under a server's heading, where the block tells of one server only. */
function textUnder(block: string, id: string): string {
  return block.slice(block.indexOf(`\n## ${id}\n`) + `\n## ${id}\n`.length, -'\n</system-reminder>'.length);
}

afterAll(() => {
  expect(livingProcesses()).toEqual([]);
});

describe('a lab server with English text', () => {
  const english = 'Call the search tool first and cite what it gives. '.repeat(400);

  it('of 1,000 units: a block of 1,167', async () => {
    const host = await startHost({ servers: { lab: lab({ text: 'x'.repeat(1000) }) } });
    const [block] = blocksOf(await send(host, ask('hello')));
    expect(block).toHaveLength(1167);
    expect(host.log.filter((line) => line.level === 'warn')).toEqual([]);
  });

  it.each([5_000, 20_000])(
    'of %i units: 2,061 under the heading, the first 2,048 as they came',
    async (units) => {
      const text = english.slice(0, units);
      const host = await startHost({ servers: { lab: lab({ text }) } });
      const kept = textUnder(blocksOf(await send(host, ask('hello')))[0]!, 'lab');
      expect(kept).toHaveLength(2061);
      expect(kept.slice(0, 2048)).toBe(text.slice(0, 2048));
      expect(kept.slice(2048)).toBe('… [truncated]');
      expect(host.log.filter((line) => line.event === 'instructions-truncated')).toMatchObject([
        { level: 'warn', server: 'lab', chars: units, keptChars: 2048, lostChars: units - 2048 },
      ]);
      expect(host.conversation.lastReport?.servers[0]).toMatchObject({
        chars: units,
        keptChars: 2048,
        lostChars: units - 2048,
      });
    },
  );

  it('of 20,000 units arrives whole under a limit of 25,000', async () => {
    // Ends on a letter, so that no outer white space is there to be dropped.
    const text = `${english.slice(0, 19_999)}z`;
    const host = await startHost(
      { servers: { lab: lab({ text }) } },
      { MCP_INSTRUCTIONS_MAX_LENGTH: '25000' },
    );
    expect(textUnder(blocksOf(await send(host, ask('hello')))[0]!, 'lab')).toBe(text);
  });

  it('under a limit that is not a number: the default applies, and one line names the variable', async () => {
    const host = await startHost(
      { servers: { lab: lab({ text: english.slice(0, 5_000) }) } },
      { MCP_INSTRUCTIONS_MAX_LENGTH: '25,000' },
    );
    expect(textUnder(blocksOf(await send(host, ask('hello')))[0]!, 'lab')).toHaveLength(2061);
    expect(host.log.filter((line) => line.event === 'setting-ignored')).toMatchObject([
      { level: 'warn', variable: 'MCP_INSTRUCTIONS_MAX_LENGTH', value: '25,000' },
    ]);
  });
});

describe('other texts', () => {
  it('3,000 Japanese characters: the first 2,048 and the marker', async () => {
    const text = '請求書の一覧を先に呼び出してから詳細を確認する。'.repeat(130).slice(0, 3000);
    const host = await startHost({ servers: { lab: lab({ text }) } });
    const kept = textUnder(blocksOf(await send(host, ask('hello')))[0]!, 'lab');
    expect(kept).toBe(`${text.slice(0, 2048)}… [truncated]`);
  });

  it('none: no block, no heading', async () => {
    const host = await startHost({ servers: { lab: lab({}) } });
    const body = await send(host, ask('hello'));
    expect(body.messages).toEqual([ask('hello')]);
    expect(host.conversation.lastReport).toMatchObject({ placed: false, servers: [{ outcome: 'absent' }] });
  });

  it('"": no block, silent', async () => {
    const host = await startHost({ servers: { lab: lab({ text: '' }) } });
    expect((await send(host, ask('hello'))).messages).toEqual([ask('hello')]);
    expect(host.log.filter((line) => line.level === 'warn')).toEqual([]);
  });

  it('" ": no block, one warning', async () => {
    const host = await startHost({ servers: { lab: lab({ text: ' ' }) } });
    expect((await send(host, ask('hello'))).messages).toEqual([ask('hello')]);
    await send(host, ask('hello again'));
    expect(host.log.filter((line) => line.level === 'warn')).toMatchObject([{ event: 'instructions-blank' }]);
    expect(host.conversation.lastReport?.servers[0]).toMatchObject({ outcome: 'blank' });
  });

  it.each([42, null, {}, []])('%j as instructions: the server connects, one warning', async (text) => {
    const host = await startHost({ servers: { lab: lab({ text }) } });
    expect((await send(host, ask('hello'))).messages).toEqual([ask('hello')]);
    expect(host.conversation.lastReport?.servers[0]).toMatchObject({
      connection: 'connected',
      outcome: 'invalid',
    });
    expect(host.log.filter((line) => line.event === 'instructions-invalid')).toHaveLength(1);
  });

  it('two texts of a server of both eras: the discover text, and the report says so', async () => {
    const script = { discoverText: 'from discover', initializeText: 'from initialize' };
    const host = await startHost({ servers: { lab: lab(script) } });
    expect(textUnder(blocksOf(await send(host, ask('hello')))[0]!, 'lab')).toBe('from discover');
    expect(host.conversation.lastReport?.servers[0]).toMatchObject({ source: 'discover' });
  });
});

describe('one server of the 2.x SDK', () => {
  it.each([
    ['legacy', 'legacy', '2025-11-25'],
    ['auto', 'modern', '2026-07-28'],
    [{ pin: '2026-07-28' }, 'modern', '2026-07-28'],
  ] as const)('%j: the same block, era and version told truly', async (protocol, era, protocolVersion) => {
    const env = { SDK_TEXT: JSON.stringify('Call search first.'), LAB_MARKER: testMarker };
    const server = { command: process.execPath, args: [fixture('sdk-stdio.mjs')], env };
    const host = await startHost({ servers: { lab: server }, protocol });
    expect(textUnder(blocksOf(await send(host, ask('hello')))[0]!, 'lab')).toBe('Call search first.');
    expect(host.injector.connections.status('lab')?.state).toMatchObject({ era, protocolVersion });
  });
});

describe('a late server', () => {
  it('that takes 8 s and is not waited for: pending in request 1, told after the tool result', async () => {
    const servers = { lab: lab({ initializeDelayMs: 8_000, discover: -32601, text: 'Late text.' }) };
    const host = await startHost({ servers, firstTurnWaitMs: 0 });
    const call: Anthropic.MessageParam = {
      role: 'assistant',
      content: [{ type: 'tool_use', id: 'toolu_1', name: 'wait', input: {} }],
    };
    expect(blocksOf(await send(host, ask('hello')))).toEqual([]);
    expect(host.reports[0]).toMatchObject({
      pending: ['lab'],
      placed: false,
      servers: [{ connection: 'connecting', outcome: 'pending' }],
    });
    await host.injector.ready();
    const body = await send(host, ask('hello'), call, toolResult('toolu_1'));
    expect(body.messages[0]).toEqual(ask('hello'));
    expect(body.messages[2]?.content).toMatchObject([
      { type: 'tool_result', tool_use_id: 'toolu_1' },
      { type: 'text', text: expect.stringContaining('Late text.') },
    ]);
    expect(host.reports[1]).toMatchObject({ pending: [], placed: true, servers: [{ change: 'added' }] });
  });

  it('that never answers discover connects as legacy within its deadline', async () => {
    const host = await startHost({ servers: { lab: lab({ discover: 'hang', text: 'Legacy text.' }) } });
    await host.injector.ready();
    expect(blocksOf(await send(host, ask('hello')))[0]).toContain('Legacy text.');
    expect(host.injector.connections.status('lab')?.state).toMatchObject({
      state: 'connected',
      era: 'legacy',
    });
    expect(host.log.some((line) => line.event === 'era-chosen-by-timeout')).toBe(true);
  });

  it('that exits on discover connects as legacy after one respawn', async () => {
    const host = await startHost({ servers: { lab: lab({ discover: 'exit', text: 'Legacy text.' }) } });
    await host.injector.ready();
    expect(blocksOf(await send(host, ask('hello')))[0]).toContain('Legacy text.');
    expect(host.injector.connections.status('lab')?.state).toMatchObject({
      state: 'connected',
      era: 'legacy',
    });
  });
});

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

describe('server-everything', () => {
  const entry = installed('@modelcontextprotocol/server-everything/dist/index.js');
  const PHRASE = 'Server instructions are working!';
  /** A model that follows what it was told, and knows nothing else. */
  const model = (body: RequestBody): string =>
    blocksOf(body).some(
      (block) => block.includes('If asked about server instructions') && block.includes(PHRASE),
    )
      ? `🎉 ${PHRASE}`
      : 'I do not know of any server instructions.';

  const check = async (host: TestHost): Promise<void> => {
    await host.injector.ready();
    const { value } = host.injector.connections.snapshots()[0]!.record!;
    const reply = await host.claude.messages.create(params([ask('What do your server instructions say?')]));
    expect(reply.content[0]).toMatchObject({ text: expect.stringContaining(PHRASE) });
    const [server] = host.conversation.lastReport!.servers;
    expect(server).toMatchObject({ chars: 1575, lostChars: 0 });
    const sent = textUnder(blocksOf(host.endpoint.requests[0]!.body)[0]!, 'everything').split('\n');
    const received = String(value).trim().split('\n');
    expect(sent).toHaveLength(received.length);
    for (const [index, line] of sent.entries()) {
      if (line !== received[index]) expect(line).toBe(received[index]!.replace(/^#{1,2}(?= )/, '###'));
    }
  };

  it('over stdio: every line arrives, and only heading lines differ', async () => {
    const server = { command: process.execPath, args: [entry, 'stdio'], env: { LAB_MARKER: testMarker } };
    await check(await startHost({ servers: { everything: server }, answer: model }));
  });

  it('over HTTP: the same', async () => {
    const port = await freePort();
    const child = spawn(process.execPath, [entry, 'streamableHttp'], {
      env: { ...process.env, PORT: String(port), LAB_MARKER: testMarker },
      stdio: 'ignore',
    });
    const gone = new Promise((resolve) => child.once('exit', resolve));
    onTestFinished(async () => {
      child.kill('SIGKILL');
      await gone;
    });
    const url = `http://127.0.0.1:${port}/mcp`;
    await expect
      .poll(
        () =>
          fetch(url).then(
            () => true,
            () => false,
          ),
        { timeout: 30_000 },
      )
      .toBe(true);
    const host = await startHost({ servers: { everything: { url } }, answer: model });
    await check(host);
    await host.injector.close();
    child.kill('SIGKILL');
    await gone;
  });
});

describe('twelve turns with tools, a late server, a removed and a restored one', () => {
  it('every request begins with the bytes of the one before', async () => {
    let isBusy = false;
    const host = await startHost({
      servers: { docs: lab({ text: 'Docs text.' }), tickets: lab({ text: 'Tickets text.' }) },
      answer: () => {
        isBusy = !isBusy;
        return isBusy ? { status: 529, error: { type: 'overloaded_error', message: 'busy' } } : 'ok';
      },
    });
    const history: Anthropic.MessageParam[] = [];
    let source: string | undefined = 'Late text.';
    let before: Messages = [];
    const told: string[] = [];
    for (let turn = 1; turn <= 12; turn += 1) {
      if (turn === 3) host.injector.adopt('late', () => ({ instructions: source }));
      if (turn === 5) await host.injector.remove('tickets');
      if (turn === 7) source = undefined;
      if (turn === 9) source = 'Late text.';
      if (turn === 11) source = 'Another text.';
      history.push(turn % 3 === 0 ? toolResult(`toolu_${turn}`) : ask(`question ${turn}`));
      const sentBefore = host.endpoint.requests.length;
      const body = await send(host, ...history);
      const [first, second] = host.endpoint.requests.slice(sentBefore);
      expect(second?.raw).toBe(first?.raw);
      const messages = body.messages as unknown as Messages;
      expect(prefixBreak(before, messages)).toBe(-1);
      expect(readRequest(messages).faults).toEqual([]);
      told.push(
        [...readRequest(messages).inForce]
          .map(([id, text]) => `${id}: ${text}`)
          .toSorted()
          .join(' '),
      );
      before = messages;
      history.push({
        role: 'assistant',
        content:
          (turn + 1) % 3 === 0
            ? [{ type: 'tool_use', id: `toolu_${turn + 1}`, name: 'look', input: {} }]
            : `answer ${turn}`,
      });
    }
    const both = 'docs: Docs text. tickets: Tickets text.';
    const withLate = 'docs: Docs text. late: Late text. tickets: Tickets text.';
    const late = 'docs: Docs text. late: Late text.';
    const docs = 'docs: Docs text.';
    const other = 'docs: Docs text. late: Another text.';
    expect(told).toEqual([both, both, withLate, withLate, late, late, docs, docs, late, late, other, other]);
    expect(
      host.reports.map((report) =>
        report.servers.flatMap(({ id, change }) => (change === null ? [] : [`${id} ${change}`])),
      ),
    ).toEqual([
      ['docs added', 'tickets added'],
      [],
      ['late added'],
      [],
      ['tickets removed'],
      [],
      ['late removed'],
      [],
      ['late restored'],
      [],
      ['late changed'],
      [],
    ]);
    for (const { tokens, servers } of host.reports) {
      expect(tokens.total).toBe(tokens.added + tokens.carried);
      expect(servers.reduce((sum, server) => sum + server.tokens, tokens.wrapper)).toBe(tokens.total);
    }
  });
});
