import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:net';

import { afterEach, expect, it } from 'vitest';

import type { ConnectionManager } from '../../src/servers/connection-manager.js';
import { Folder, installed, livingProcesses, manage, snapshot, testMarker } from './support/lab.js';

const open: Array<() => Promise<void>> = [];

function start(): ConnectionManager {
  const { manager } = manage();
  open.unshift(() => manager.close());
  return manager;
}

afterEach(async () => {
  for (const close of open.splice(0)) await close();
  expect(livingProcesses()).toEqual([]);
});

const servers: readonly [string, readonly string[], number][] = [
  ['everything', ['stdio'], 1_575],
  ['memory', [], 0],
  ['filesystem', ['FOLDER'], 0],
  ['sequential-thinking', [], 0],
];

it.each(['direct', 'npx'])('four public servers over stdio, %s', async (way) => {
  using folder = new Folder();
  mkdirSync(folder.file('root'));
  const manager = start();
  for (const [name, words] of servers) {
    const args = words.map((word) => (word === 'FOLDER' ? folder.file('root') : word));
    const env = { LAB_MARKER: testMarker, MEMORY_FILE_PATH: folder.file('memory.json') };
    const path = installed(`@modelcontextprotocol/server-${name}/dist/index.js`);
    if (way === 'direct') manager.add(name, { command: process.execPath, args: [path, ...args], env });
    else manager.add(name, { command: 'npx', args: ['--no-install', `mcp-server-${name}`, ...args], env });
  }
  await manager.whenSettled();
  for (const [name, , chars] of servers) {
    expect(snapshot(manager, name)).toMatchObject({
      state: { state: 'connected', era: 'legacy' },
      record: { chars },
    });
    const tools = await manager.client(name)?.listTools();
    expect(tools?.tools.length).toBeGreaterThan(0);
  }
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

it.each([
  ['streamableHttp', 'mcp', undefined, 'http'],
  ['sse', 'sse', 'sse', 'sse'],
  ['sse', 'sse', undefined, 'sse'],
] as const)('server-everything over %s (/%s, type %s)', async (mode, path, type, transport) => {
  const port = await freePort();
  const program = installed('@modelcontextprotocol/server-everything/dist/index.js');
  const server = spawn(process.execPath, [program, mode], {
    env: { ...process.env, PORT: String(port), LAB_MARKER: testMarker },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  open.push(async () => {
    const ended = once(server, 'exit');
    server.kill('SIGKILL');
    await ended;
  });
  await new Promise<void>((resolve) => {
    server.stderr.on('data', (chunk: Buffer) => chunk.toString().includes(String(port)) && resolve());
  });
  const manager = start();
  manager.add('everything', {
    url: `http://127.0.0.1:${port}/${path}`,
    ...(type === undefined ? {} : { type }),
  });
  await manager.whenSettled();
  expect(snapshot(manager, 'everything')).toMatchObject({
    state: { state: 'connected', transport, era: 'legacy' },
    record: { chars: 1_575, source: 'initialize' },
  });
});
