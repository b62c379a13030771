import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';

import {
  startMessagesEndpoint,
  type Answer,
  type MessagesEndpoint,
} from '../src/cli/demo/messages-endpoint.js';
import {
  examples,
  runNode,
  startExampleServer,
  type Ended,
  type ExampleServer,
} from './support/run-example.js';

const HEAD = 'The following MCP servers have provided instructions for how to use their tools and resources:';
const DOCS = '## docs\nCall `search_docs` before you answer, and quote the page id of what you use.';
const TICKETS = '## tickets\nRead a ticket with `get_ticket` before you change it. Never close one.';
const BLOCK = `<system-reminder>\n# MCP Server Instructions\n\n${HEAD}\n\n${DOCS}\n\n${TICKETS}\n</system-reminder>`;

let tickets: ExampleServer;
let endpoint: MessagesEndpoint | undefined;

beforeAll(async () => {
  tickets = await startExampleServer('tickets-server.mjs');
});
afterAll(() => tickets.stop());
afterEach(() => endpoint?.close());

async function run(script: string, answers: readonly Answer[]): Promise<Ended> {
  endpoint = await startMessagesEndpoint({ answer: (_body, { number }) => answers[number - 1] });
  return await runNode(examples, [script], {
    ANTHROPIC_BASE_URL: endpoint.url,
    ANTHROPIC_API_KEY: 'none',
    TICKETS_URL: tickets.url,
  });
}

function sent(number: number): readonly unknown[] {
  const message = endpoint?.requests[number - 1]?.body.messages.at(-1);
  return typeof message?.content === 'string' ? [message.content] : (message?.content ?? []);
}

test('quickstart: one request with what two servers say', async () => {
  const { code, out, errors } = await run('quickstart.mjs', ['Rotate it before then.']);
  expect({ code, errors }).toEqual({ code: 0, errors: '' });
  expect(out).toBe('Rotate it before then.\ndocs: told, 76 characters\ntickets: told, 70 characters\n');
  expect(sent(1)).toEqual([
    { type: 'text', text: BLOCK },
    { type: 'text', text: 'Our signing key expires on Friday. What should I do?' },
  ]);
});

test('tool loop: both servers’ tools are called, the block is sent once and stays in place', async () => {
  const { code, out, errors } = await run('tool-loop.mjs', [
    { content: [{ type: 'tool_use', id: 'toolu_1', name: 'get_ticket', input: {} }] },
    { content: [{ type: 'tool_use', id: 'toolu_2', name: 'search_docs', input: {} }] },
    'By DOC-7: create the new key, deploy it, revoke the old one.',
  ]);
  expect({ code, errors }).toEqual({ code: 0, errors: '' });
  expect(out).toBe(`[turn 1: a new block, told]
calls get_ticket
[turn 2: no new block, told]
calls search_docs
[turn 3: no new block, told]
By DOC-7: create the new key, deploy it, revoke the old one.
`);
  const bodies = endpoint?.requests.map(({ body }) => body) ?? [];
  expect(bodies.map(({ messages }) => messages.length)).toEqual([1, 3, 5]);
  for (const [index, { messages }] of bodies.entries()) {
    const before = bodies[index - 1]?.messages ?? [];
    expect(messages.slice(0, before.length)).toEqual(before);
  }
  expect(sent(1)[0]).toEqual({ type: 'text', text: BLOCK });
  expect(JSON.stringify(sent(2))).toContain('T-1042: Signing key expires on Friday.');
  expect(JSON.stringify(sent(3))).toContain('DOC-7: create the new key');
  expect(JSON.stringify(bodies[2]).split('# MCP Server Instructions')).toHaveLength(2);
});

test('streaming loop: the text comes in pieces, tools are called in parallel, the block stays in place', async () => {
  const uses = ['toolu_1', 'toolu_2'].map((id) => ({ type: 'tool_use', id, name: 'search_docs', input: {} }));
  const { code, out, errors } = await run('streaming-loop.mjs', [
    { content: [{ type: 'text', text: 'I will look. ' }, ...uses] },
    'By DOC-7: create the new key, deploy it, revoke the old one.',
  ]);
  expect({ code, errors }).toEqual({ code: 0, errors: '' });
  expect(out).toBe('I will look. By DOC-7: create the new key, deploy it, revoke the old one.\nnot kept\n');
  const bodies = endpoint?.requests.map(({ body }) => body) ?? [];
  expect(bodies.map(({ stream, messages }) => [stream, messages.length])).toEqual([
    [true, 1],
    [true, 3],
  ]);
  expect(bodies[1]?.messages.slice(0, 1)).toEqual(bodies[0]?.messages);
  expect(JSON.stringify(sent(1)[0])).toContain('search_docs');
  expect(sent(2)).toMatchObject([{ tool_use_id: 'toolu_1' }, { tool_use_id: 'toolu_2' }]);
});

test('config file: its servers connect', async () => {
  const { code, out, errors } = await run('config-file.mjs', []);
  expect({ code, errors }).toEqual({ code: 0, errors: '' });
  expect(out).toBe('docs: connected\ntickets: connected\n');
});

test('adapters: every way of docs/adapters.md', async () => {
  const { code, out, errors } = await run('adapters.mjs', []);
  expect({ code, errors }).toEqual({ code: 0, errors: '' });
  expect(out).toBe(`client placed
request placed
audience docs told, handbook excluded
prepare placed
strip [{"role":"user","content":[{"type":"text","text":"Our signing key expires on Friday. What should I do?"}]}]
`);
  expect(endpoint?.requests).toHaveLength(5);
  // The stream is the same turn as the call before it, so it carries the same bytes.
  expect(sent(2)).toEqual(sent(1));
});
