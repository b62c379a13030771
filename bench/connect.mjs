// How long it takes to connect many stdio servers, beside other ways to do it. Run after `npm run build`:
//   node bench/connect.mjs [servers] [rounds] [lab|sdk] [DIST]
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { createMCPClient } from '@ai-sdk/mcp';
import { Experimental_StdioMCPTransport as AiSdkTransport } from '@ai-sdk/mcp/mcp-stdio';
import { MultiServerMCPClient } from '@langchain/mcp-adapters';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const dist = resolve(process.argv[5] ?? fileURLToPath(new URL('../dist', import.meta.url)));
const { ConnectionManager } = await import(pathToFileURL(`${dist}/servers/connection-manager.js`).href);

const servers = Number(process.argv[2] ?? 20);
const rounds = Number(process.argv[3] ?? 5);
const program = process.argv[4] === 'sdk' ? 'sdk-stdio.mjs' : 'lab-stdio.mjs';
const command = process.execPath;
const args = [fileURLToPath(new URL(`../test/fixtures/servers/${program}`, import.meta.url))];
const env = { LAB: JSON.stringify({ text: 'bench' }), SDK_TEXT: JSON.stringify('bench') };
const ids = Array.from({ length: servers }, (_, index) => `server-${index}`);
const info = { name: 'bench', version: '1.0.0' };

/** Each way connects all servers, says how many answered, and gives a function that closes them. */
const ways = {
  'plain SDK, legacy': () => plain('legacy'),
  'mcp-instructions, auto': () => ours('auto'),
  'mcp-instructions, legacy': () => ours('legacy'),
  'plain SDK, auto': () => plain('auto'),
  '@ai-sdk/mcp': aiSdk,
  '@langchain/mcp-adapters': langchain,
};

async function plain(mode) {
  const clients = await Promise.all(
    ids.map(async () => {
      const client = new Client(info, { versionNegotiation: { mode } });
      await client.connect(new StdioClientTransport({ command, args, env, stderr: 'ignore' }));
      return client;
    }),
  );
  const answered = clients.filter((client) => client.getInstructions() === 'bench').length;
  return { answered, close: () => Promise.all(clients.map((client) => client.close())) };
}

async function ours(protocol) {
  const manager = new ConnectionManager({ protocol, observer: { emit() {} } });
  for (const id of ids) manager.add(id, { command, args, env });
  await manager.whenSettled();
  const answered = manager.snapshots().filter(({ record }) => record?.value === 'bench').length;
  return { answered, close: () => manager.close() };
}

async function aiSdk() {
  const clients = await Promise.all(
    ids.map(() =>
      createMCPClient({ transport: new AiSdkTransport({ command, args, env, stderr: 'ignore' }) }),
    ),
  );
  return { answered: clients.length, close: () => Promise.all(clients.map((client) => client.close())) };
}

async function langchain() {
  const mcpServers = Object.fromEntries(
    ids.map((id) => [id, { transport: 'stdio', command, args, env, stderr: 'ignore' }]),
  );
  const client = new MultiServerMCPClient({ mcpServers });
  await client.initializeConnections();
  return { answered: servers, close: () => client.close() };
}

const times = new Map(Object.keys(ways).map((name) => [name, []]));
// The first round loads code and warms the file cache; it does not count. The ways take turns, so that a busy minute hits all.
for (let round = 0; round <= rounds; round += 1) {
  for (const [name, connect] of Object.entries(ways)) {
    const startedAt = performance.now();
    const { answered, close } = await connect();
    const ms = performance.now() - startedAt;
    await close();
    if (answered !== servers) throw new Error(`${name}: ${answered} of ${servers} answered`);
    if (round > 0) times.get(name).push(ms);
  }
}

const median = (values) => values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)];
const base = median(times.get('plain SDK, legacy'));
console.log(
  `${servers} servers (${program}), medians of ${rounds}, as a ratio to the plain SDK's parallel legacy loop`,
);
for (const [name, values] of times)
  console.log(
    `${(median(values) / base).toFixed(2).padStart(6)}  ${median(values).toFixed(0).padStart(6)} ms  ${name}`,
  );
