import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

import { expect, onTestFinished, test } from 'vitest';

import { startMessagesEndpoint } from '../../src/cli/demo/messages-endpoint.js';
import { hasRedis, startRedis } from '../stores/redis-server.js';
import { startOpenAIEndpoint } from '../support/openai-endpoint.js';
import { examples, runNode, startExampleServer } from '../support/run-example.js';
import { blocksIn } from './support/adapter-host.js';

const KEYS = { OPENAI_API_KEY: 'none', ANTHROPIC_API_KEY: 'none' };
const SEARCH = { calls: [{ id: 'call_1', name: 'search_docs' }] };
const DOCS = '## docs\nCall `search_docs` before you answer, and quote the page id of what you use.';

test('OpenAI chat loop', async () => {
  const endpoint = await startOpenAIEndpoint((number) => (number === 1 ? SEARCH : 'Rotate it before then.'));
  const env = { ...KEYS, OPENAI_BASE_URL: `${endpoint.url}/v1` };
  const ended = await runNode(examples, ['openai-chat.mjs'], env);
  expect(ended).toEqual({
    code: 0,
    out: 'calls search_docs\nRotate it before then.\nnot kept\n',
    errors: '',
  });
  expect(endpoint.faults).toEqual([]);
  expect(endpoint.requests.map(({ body }) => blocksIn(body))).toEqual([
    [expect.stringContaining(DOCS)],
    [expect.stringContaining(DOCS)],
  ]);
});

test('OpenAI by hand', async () => {
  const endpoint = await startOpenAIEndpoint();
  const env = { ...KEYS, OPENAI_BASE_URL: `${endpoint.url}/v1` };
  const ended = await runNode(examples, ['openai-by-hand.mjs'], env);
  expect(ended).toEqual({
    code: 0,
    out: `placed no-news\nplaced\n[{"role":"user","content":[{"type":"text","text":"Hi"}]}]\n`,
    errors: '',
  });
});

test('AI SDK agent', async () => {
  const endpoint = await startOpenAIEndpoint((number) => (number === 1 ? SEARCH : 'Rotate it before then.'));
  const env = { ...KEYS, OPENAI_BASE_URL: `${endpoint.url}/v1` };
  const ended = await runNode(examples, ['ai-sdk-agent.mjs'], env);
  expect(ended).toEqual({
    code: 0,
    out: '2 steps: Rotate it before then.\ndocs: told\nRotate it before then.\n',
    errors: '',
  });
  expect(endpoint.faults).toEqual([]);
  expect(endpoint.requests.map(({ body }) => blocksIn(body).length)).toEqual([1, 1, 1]);
});

test('serverless handler: the ledger travels with the chat', async () => {
  const endpoint = await startOpenAIEndpoint();
  const env = { ...KEYS, OPENAI_BASE_URL: `${endpoint.url}/v1` };
  const ended = await runNode(examples, ['serverless.mjs'], env);
  expect(ended).toEqual({ code: 0, out: 'placed no-news\n', errors: '' });
  const [first, second] = endpoint.requests.map(({ body }) => body['messages'] as readonly unknown[]);
  expect(second?.slice(0, first?.length)).toEqual(first);
});

test('sub-agents: each is told of its own servers', async () => {
  const tickets = await startExampleServer('tickets-server.mjs');
  onTestFinished(() => tickets.stop());
  const endpoint = await startMessagesEndpoint({ answer: () => 'DOC-7' });
  onTestFinished(() => endpoint.close());
  const env = { ...KEYS, ANTHROPIC_BASE_URL: endpoint.url, TICKETS_URL: tickets.url };
  const ended = await runNode(examples, ['sub-agents.mjs'], env);
  expect(ended).toEqual({
    code: 0,
    out: 'chat-42/search-1 was told of docs\nchat-42 was told of docs and tickets\nDOC-7\n',
    errors: '',
  });
});

test('a format of one’s own passes the contract', async () => {
  const { code, out, errors } = await runNode(examples, ['custom-format.mjs']);
  expect({ code, errors }).toEqual({ code: 0, errors: '' });
  const lines = out.trim().split('\n');
  expect(lines.at(-1)).toBe('placed');
  expect(lines.slice(0, -1).every((line) => line.startsWith('ok: '))).toBe(true);
  expect(lines.length).toBeGreaterThan(10);
});

interface Service {
  ask(user: string, text: string): Promise<unknown>;
  stop(): Promise<number | null>;
}

async function startService(env: NodeJS.ProcessEnv): Promise<Service> {
  const child = spawn(process.execPath, ['http-service.mjs'], {
    cwd: examples,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exit = once(child, 'exit') as Promise<[number | null]>;
  const [url] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return {
    ask: async (user, text) => {
      const response = await fetch(url, { method: 'POST', body: JSON.stringify({ user, text }) });
      return ((await response.json()) as { reason: unknown }).reason;
    },
    stop: async () => {
      child.kill('SIGTERM');
      return (await exit)[0];
    },
  };
}

test('HTTP service: one conversation for each user, also after a restart', async () => {
  const redis = hasRedis ? await startRedis() : undefined;
  onTestFinished(async () => await redis?.close());
  const endpoint = await startMessagesEndpoint();
  onTestFinished(() => endpoint.close());
  const env = {
    ...KEYS,
    ANTHROPIC_BASE_URL: endpoint.url,
    ...(redis === undefined ? {} : { REDIS_URL: redis.url }),
  };
  const service = await startService(env);
  expect(await service.ask('ada', 'Hello.')).toBe('placed');
  expect(await service.ask('bob', 'Hello.')).toBe('placed');
  expect(await service.ask('ada', 'And then?')).toBe('no-news');
  expect(await service.stop()).toBe(0);
  if (redis === undefined) return;
  const next = await startService(env);
  expect(await next.ask('ada', 'And after that?')).toBe('no-news');
  expect(await next.stop()).toBe(0);
  const [before, after] = endpoint.requests.slice(-2).map(({ body }) => body.messages);
  expect(after?.slice(0, before?.length)).toEqual(before);
  expect(after).toHaveLength(5);
});
