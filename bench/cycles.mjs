// What connecting and closing leaves behind: handles, listeners, processes, open files, memory. Run after `npm run build`:
//   node --expose-gc bench/cycles.mjs [cycles]
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';

import { createInjector } from '../dist/index.js';
import { answer } from '../test/fixtures/servers/lab-protocol.mjs';

const cycles = Number(process.argv[2] ?? 200);
const mark = `cycles-${process.pid}`;
async function handle(request, response) {
  if (request.method !== 'POST') {
    response.writeHead(405).end();
    return;
  }
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const message = JSON.parse(Buffer.concat(chunks));
  const reply = answer({ text: 'x' }, message, 1);
  if (reply === undefined) {
    response.writeHead(202).end();
    return;
  }
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, ...reply }));
}

const server = createServer((request, response) => void handle(request, response));
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const servers = {
  process: {
    command: process.execPath,
    args: [fileURLToPath(new URL('../test/fixtures/servers/lab-stdio.mjs', import.meta.url))],
    env: { LAB: JSON.stringify({ text: 'x' }), MARK: mark },
  },
  http: { url: `http://127.0.0.1:${server.address().port}/mcp` },
};

async function cycle() {
  const injector = createInjector({ servers, logLevel: 'silent' });
  await injector.ready();
  const states = injector.connections.status().map(({ state }) => state.state);
  if (states.some((state) => state !== 'connected'))
    throw new Error(`expected two connections, got ${states.join(', ')}`);
  await injector.close();
}

function held() {
  globalThis.gc?.();
  const living = readdirSync('/proc').filter((pid) => {
    try {
      return Number(pid) !== process.pid && readFileSync(`/proc/${pid}/environ`, 'latin1').includes(mark);
    } catch {
      return false;
    }
  });
  return {
    processes: living.length,
    'open files': readdirSync('/proc/self/fd').length,
    handles: process.getActiveResourcesInfo().length,
    listeners: process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0),
    'heap MB': Math.round(process.memoryUsage().heapUsed / 1e5) / 10,
  };
}

for (let count = 0; count < 5; count += 1) await cycle();
const before = held();
for (let count = 0; count < cycles; count += 1) await cycle();
const after = held();
console.log(`${cycles} cycles of one server as a process and one over HTTP`);
for (const name of Object.keys(before)) console.log(`${name}: ${before[name]} before, ${after[name]} after`);
server.closeAllConnections();
server.close();
