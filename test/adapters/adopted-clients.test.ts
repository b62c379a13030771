/* oxlint-disable unicorn/prefer-add-event-listener -- these clients have no other way */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

import { createMCPClient } from '@ai-sdk/mcp';
import { Experimental_StdioMCPTransport as AiStdio } from '@ai-sdk/mcp/mcp-stdio';
import { MultiServerMCPClient } from '@langchain/mcp-adapters';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as Stdio1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, expect, onTestFinished, test } from 'vitest';

import type { AdoptedSource } from '../../src/injector.js';
import { fixture, lab, livingProcesses } from '../servers/support/lab.js';
import { blocksIn, startAdapterHost, tells, type AdapterHost } from './support/adapter-host.js';

/** A client of a host's, of whatever make. */
interface Owned {
  readonly source: AdoptedSource;
  /** Resolves when the client says that its server is gone; absent where it never says. */
  readonly gone?: Promise<void>;
  close(): Promise<unknown>;
}

const folder = mkdtempSync(join(tmpdir(), 'adopted-'));
/** A server whose text has the number of its start. */
const { command, env } = lab({ text: 'Text', numbered: true, journal: join(folder, 'journal') });
const server = { command, args: [fixture('lab-stdio.mjs')], env: { ...env } as Record<string, string> };

function signal(): { readonly promise: Promise<void>; readonly fire: () => void } {
  let fire = (): void => {};
  const promise = new Promise<void>((resolve) => {
    fire = resolve;
  });
  return { promise, fire: () => fire() };
}

const makes: readonly (readonly [make: string, connect: () => Promise<Owned>])[] = [
  [
    'MCP client 2.x',
    async () => {
      const client = new Client({ name: 'host', version: '1.0.0' });
      const gone = signal();
      client.onclose = gone.fire;
      await client.connect(new StdioClientTransport({ ...server, stderr: 'ignore' }));
      return { source: client, gone: gone.promise, close: () => client.close() };
    },
  ],
  [
    'SDK 1.x',
    async () => {
      const client = new Client1({ name: 'host', version: '1.0.0' });
      const gone = signal();
      client.onclose = gone.fire;
      await client.connect(new Stdio1({ ...server, stderr: 'ignore' }));
      return { source: client, gone: gone.promise, close: () => client.close() };
    },
  ],
  [
    '@ai-sdk/mcp',
    async () => {
      const transport = new AiStdio({ ...server, stderr: 'ignore' });
      const client = await createMCPClient({ transport });
      const gone = signal();
      // The client has no such call of its own: its transport's is put in a chain.
      const before = transport.onclose;
      transport.onclose = () => {
        before?.();
        gone.fire();
      };
      return { source: client, gone: gone.promise, close: () => client.close() };
    },
  ],
  [
    '@langchain/mcp-adapters',
    async () => {
      const restart = { enabled: true, maxAttempts: 5, delayMs: 50 };
      const clients = new MultiServerMCPClient({
        mcpServers: { lab: { transport: 'stdio', ...server, stderr: 'ignore', restart } },
      });
      await clients.initializeConnections();
      const source = async (): Promise<{ getInstructions(): unknown }> => {
        const client = await clients.getClient('lab');
        if (client === undefined) throw new Error('not connected');
        return client;
      };
      return { source, close: () => clients.close() };
    },
  ],
];

/** @returns how many there were */
function endServers(): number {
  const pids = livingProcesses();
  for (const pid of pids) process.kill(pid, 'SIGKILL');
  return pids.length;
}

afterAll(async () => {
  // A closed client of LangChain's may start its server once more.
  while (endServers() > 0) await setTimeout(50);
  rmSync(folder, { recursive: true, force: true });
});

async function newsOf({ injector }: AdapterHost): Promise<string[]> {
  const request = { messages: [{ role: 'user', content: 'hello' }] };
  return blocksIn((await injector.conversation().prepare(request)).request);
}

test.each(makes)('%s: adopted, and its text stays when the server is gone', async (_, connect) => {
  const host = startAdapterHost();
  const owned = await connect();
  onTestFinished(async () => void (await owned.close()));
  host.injector.adopt('lab', owned.source);
  const [block = ''] = await newsOf(host);
  expect(block).toContain('## lab\nText');
  endServers();
  await owned.gone;
  await expect.poll(async () => (await newsOf(host)).length).toBe(1);
});

test('@langchain/mcp-adapters: a restarted server’s text is read from the new client', async () => {
  const host = startAdapterHost();
  const [, connect] = makes.at(-1)!;
  const owned = await connect();
  onTestFinished(async () => void (await owned.close()));
  host.injector.adopt('lab', owned.source);
  const [before = ''] = await newsOf(host);
  endServers();
  await expect
    .poll(async () => {
      const [block = ''] = await newsOf(host);
      return block !== before && block.includes('## lab\nText');
    })
    .toBe(true);
});

test('a client that says that its server is gone: the host removes it, and the model is told', async () => {
  const host = startAdapterHost();
  const [, connect] = makes[0]!;
  const owned = await connect();
  onTestFinished(async () => void (await owned.close()));
  host.injector.adopt('lab', owned.source);
  const messages = [{ role: 'user', content: 'hello' }];
  await (await host.conversation.prepare({ messages })).commit();
  endServers();
  await owned.gone;
  await host.injector.remove('lab');
  messages.push({ role: 'assistant', content: 'ok' }, { role: 'user', content: 'next' });
  const { request } = await host.conversation.prepare({ messages });
  expect(blocksIn(request)[1]).toContain('no longer connected');
  host.injector.adopt('lab', { instructions: 'Again.' });
  expect(await newsOf(host)).toEqual([tells('lab', 'Again.')]);
});
