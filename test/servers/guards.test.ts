import { createServer, type ServerResponse } from 'node:http';

import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';

import type { ConnectionManager } from '../../src/servers/connection-manager.js';
import { parseServerConfig } from '../../src/servers/parse-server-config.js';
import { loadSdk } from '../../src/servers/sdk.js';
import { StdioTransport } from '../../src/servers/stdio-transport.js';
import { fixture, lab, livingProcesses, manage, reach } from './support/lab.js';

const managers: ConnectionManager[] = [];
const escaped: unknown[] = [];
const note = (error: unknown): void => void escaped.push(error);

function start(...parameters: Parameters<typeof manage>): ReturnType<typeof manage> {
  const made = manage(...parameters);
  managers.push(made.manager);
  return made;
}

beforeEach(() => {
  process.on('uncaughtException', note);
  process.on('unhandledRejection', note);
});

afterEach(async () => {
  for (const manager of managers.splice(0)) await manager.close();
  process.off('uncaughtException', note);
  process.off('unhandledRejection', note);
  expect(escaped.splice(0)).toEqual([]);
  expect(livingProcesses()).toEqual([]);
});

/** A server over the older SSE transport that says more than it is asked. */
async function startTalker(): Promise<{ readonly url: string; say(data: string): void }> {
  let stream: ServerResponse | undefined;
  const say = (data: string): void => void stream?.write(`event: message\ndata: ${data}\n\n`);
  const server = createServer((request, response) => {
    if (request.method === 'GET') {
      stream = response.writeHead(200, { 'content-type': 'text/event-stream' });
      stream.write('event: endpoint\ndata: /messages\n\n');
      return;
    }
    let body = '';
    request.on('data', (chunk: Buffer) => (body += String(chunk)));
    request.on('end', () => {
      response.writeHead(202).end();
      const { id, method }: { id?: number; method: string } = JSON.parse(body);
      if (method !== 'initialize') return;
      const result = {
        protocolVersion: '2025-11-25',
        capabilities: {},
        serverInfo: { name: 'a', version: '1' },
      };
      say(JSON.stringify({ jsonrpc: '2.0', id, result }));
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { url: `http://127.0.0.1:${port}/`, say };
}

const deep = `{"jsonrpc":"2.0","id":99,"result":{"a":${'['.repeat(9_000)}${']'.repeat(9_000)}}}`;
const unknown = '{"jsonrpc":"2.0","id":99,"result":{}}';

describe('what a message brings about stays with the connection that it came over', () => {
  it('SSE: one that the SDK runs out of stack with', async () => {
    const talker = await startTalker();
    const heard: Error[] = [];
    const { manager } = start({
      onClient: (_id, client) => void Object.assign(client, { onerror: (error: Error) => heard.push(error) }),
    });
    manager.add('one', { url: talker.url, type: 'sse' });
    await manager.whenSettled();
    talker.say(deep);
    talker.say(unknown);
    await expect.poll(() => heard.length).toBe(2);
    expect(heard[0]).toBeInstanceOf(RangeError);
    expect(manager.status('one')?.state.state).toBe('connected');
  });

  it('stdio: one that nests so deep is no message', async () => {
    const { manager } = start();
    const path = JSON.stringify(fixture('lab-stdio.mjs'));
    const lines = `'${deep}\\n'.repeat(3)`;
    const code = `import(${path}).then(() => process.on('SIGUSR2', () => process.stdout.write(${lines}, () => process.exit(7))))`;
    manager.add('one', lab({ text: 'x' }, { args: ['-e', code] }));
    await manager.whenSettled();
    const lost = reach(manager, 'one', 'unavailable');
    process.kill(livingProcesses()[0] ?? 0, 'SIGUSR2');
    expect(await lost).toMatchObject({ reason: { process: { exitCode: 7, ignoredLines: 3 } } });
  });

  it('stdio: whatever the handlers of the transport throw', async () => {
    const config = parseServerConfig('one', lab({ noise: true, exitAfterHandshakeMs: 0 }));
    if (config.transport !== 'stdio') throw new Error('not a process');
    const transport = new StdioTransport(config, await loadSdk());
    const called: string[] = [];
    const closed = new Promise<void>((resolve) => {
      const fail = (name: string) => (): never => {
        called.push(name);
        if (name === 'onclose') resolve();
        throw new Error(name);
      };
      Object.assign(transport, {
        onmessage: fail('onmessage'),
        onerror: fail('onerror'),
        onclose: fail('onclose'),
      });
    });
    await transport.start();
    await transport.send({ jsonrpc: '2.0', id: 1, method: 'server/discover', params: {} });
    await closed;
    await transport.close();
    expect(called).toEqual(['onmessage', 'onerror', 'onmessage', 'onerror', 'onclose', 'onerror']);
  });
});

describe('a handler that the host gave a client', () => {
  it.each([
    [
      'throws',
      'threw',
      () => {
        throw new Error('of the host');
      },
    ],
    [
      'rejects',
      'rejected',
      async () => {
        throw new Error('of the host');
      },
    ],
  ])('%s: told, and everything goes on', async (_name, how, handler) => {
    const talker = await startTalker();
    const { manager, observer } = start({
      onClient: (_id, client) => {
        Object.assign(client, { onerror: handler, onclose: handler });
        client.setNotificationHandler('notifications/tools/list_changed', () => {
          throw new Error('x');
        });
      },
    });
    manager.add('sse', { url: talker.url, type: 'sse' });
    manager.add('stdio', lab({ noise: true, eras: ['legacy'] }));
    await manager.whenSettled();
    talker.say(unknown);
    // The SDK tells of this one from a promise that nobody waits for.
    talker.say('{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}');
    const told = (server: string): unknown[] =>
      observer
        .named('callback-failed')
        .filter(({ fields }) => fields['server'] === server)
        .map(({ fields }) => fields['reason']);
    await expect.poll(() => told('sse')).toEqual([`onerror-${how}`, `onerror-${how}`]);
    await manager.remove('stdio');
    expect(told('stdio').at(-1)).toBe(`onclose-${how}`);
    expect(manager.status('sse')?.state.state).toBe('connected');
    expect(observer.problems).toEqual([]);
  });

  it('reads back as something that can be called, and can be taken out', async () => {
    let slots: readonly unknown[] = [];
    const talker = await startTalker();
    const { manager } = start({
      onClient: (_id, client) => {
        const before = client.onerror;
        Object.assign(client, { onerror: () => {} });
        const { onerror } = client;
        Object.assign(client, { onerror });
        slots = [before, typeof onerror, onerror === client.onerror];
        Object.assign(client, { onerror: undefined });
        slots = [...slots, client.onerror];
      },
    });
    manager.add('one', { url: talker.url, type: 'sse' });
    await manager.whenSettled();
    expect(slots).toEqual([undefined, 'function', true, undefined]);
  });
});
