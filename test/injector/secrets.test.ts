import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { inspect } from 'node:util';

import { afterAll, expect, onTestFinished, test } from 'vitest';

import { formatReportLine, formatReportTable } from '../../src/cost/format-report.js';
import type { ServerConfig } from '../../src/servers/server-config.js';
import { fileStore } from '../../src/stores/file-store.js';
import { Folder, lab, livingProcesses } from '../servers/support/lab.js';
import { MODEL, startHost } from '../support/host.js';

const SECRET = 'S3CRET';

afterAll(() => expect(livingProcesses()).toEqual([]));

/** Answers every POST with what it is told. */
async function startHttp(status: number, body: (id: unknown) => string): Promise<string> {
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => (text += String(chunk)));
    request.on('end', () => {
      const id: unknown = text === '' ? null : (JSON.parse(text) as { id?: unknown }).id;
      response.writeHead(status, { 'content-type': 'application/json', 'x-secret': `${SECRET}-header-back` });
      response.end(body(id));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A program that says its secrets on standard error and in its answers, and then ends. */
function program(script: string): ServerConfig {
  return {
    command: process.execPath,
    args: ['-e', script, '--', `--api-key=${SECRET}-argument`, '-e', `TOKEN=${SECRET}-pair`],
    env: { DIFY_KEY: `${SECRET}-variable`, ...lab().env },
    cwd: process.cwd(),
  };
}

const says = `process.stderr.write('${SECRET}-stderr ' + process.env.DIFY_KEY + ' ' + process.argv.join(' ') + '\\n');`;
const refuses = `${says}
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id } = JSON.parse(line);
  if (id === undefined) return;
  const error = { code: -32000, message: '${SECRET}-rpc ' + process.env.DIFY_KEY, data: { key: '${SECRET}-data' } };
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, error }) + '\\n');
});`;
const talks = `${says}
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (method !== 'initialize') {
    if (id !== undefined) process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: '${SECRET}-rpc' } }) + '\\n');
    return;
  }
  process.stdout.write('${SECRET}-noise\\n');
  const result = { protocolVersion: '2025-06-18', capabilities: {}, serverInfo: { name: 'x', version: '1' }, instructions: '${SECRET}-text' };
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
});`;

/** Everything a value shows to someone who prints, serialises or looks into it, causes of errors included. */
function shownBy(value: unknown): string {
  const options = { depth: 12, maxArrayLength: null, maxStringLength: null };
  return `${inspect(value, options)}\n${JSON.stringify(value)}\n${value instanceof Error ? `${value.stack} ${shownBy(value.cause)}` : ''}`;
}

function filesIn(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.name}\n${readFileSync(join(entry.parentPath, entry.name), 'utf8')}`)
    .join('\n');
}

test('a secret of the configuration, or said by a server, is in nothing that is kept or shown', async () => {
  using folder = new Folder();
  const refusing = await startHttp(200, (id) =>
    JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32000, message: `${SECRET}-rpc` } }),
  );
  const failing = await startHttp(500, () => `${SECRET}-body`);
  const denying = await startHttp(401, () => `${SECRET}-body`);
  const headers = { 'X-Auth': `${SECRET}-header`, Authorization: `Bearer ${SECRET}-bearer` };
  const at = (host: string, type?: 'sse'): ServerConfig => ({
    url: `http://${host}/mcp?tavilyApiKey=${SECRET}-query`,
    headers,
    ...(type === undefined ? {} : { type }),
  });
  const host = await startHost({
    connectTimeoutMs: 20_000,
    policy: 'first-use',
    pins: folder.file('pins.json'),
    store: fileStore({ folder: folder.file('conversations') }),
    servers: {
      missing: {
        command: `no-such-program`,
        args: [`${SECRET}-argument`],
        env: { KEY: `${SECRET}-variable` },
      },
      dies: program(`${says} process.exit(3);`),
      refuses: program(refuses),
      talks: { ...program(talks), required: true },
      refused: at('127.0.0.1:1'),
      sse: at('127.0.0.1:1', 'sse'),
      'http-refuses': at(refusing),
      'http-fails': at(failing),
      'http-denies': at(denying),
    },
  });
  const { injector, conversation, log, reports } = host;
  const errors: unknown[] = [];
  const attempt = async (call: () => Promise<unknown>): Promise<void> => {
    try {
      await call();
    } catch (error) {
      errors.push(error);
    }
  };
  await injector.ready();
  const review = await injector.review('talks');
  // The one exception, so that the rest is not empty by accident: what a server says is in the text.
  expect(review.text).toBe(`${SECRET}-text`);
  const prepared = await conversation.prepare({
    model: MODEL,
    messages: [{ role: 'user', content: 'hello' }],
  });
  await prepared.commit();
  expect(JSON.stringify(prepared.request)).toContain(`${SECRET}-text`);

  for (const id of ['missing', 'dies', 'refuses', 'refused', 'http-refuses', 'nobody']) {
    await attempt(() => injector.review(id));
    await attempt(() => injector.approve(id, 'a'.repeat(64)));
    await attempt(() => injector.connections.refresh(id));
    await attempt(() => injector.connections.reconnect(id));
  }
  await attempt(() => Promise.resolve(injector.connections.add('bad', { url: `x ${SECRET}` })));
  await attempt(() =>
    Promise.resolve(injector.connections.add('bad', { command: 7 as never, args: [SECRET] })),
  );
  await attempt(() => Promise.resolve(injector.adopt('bad', SECRET as never)));
  const statuses = injector.connections.status();
  await injector.close();

  expect(errors.length).toBeGreaterThan(10);
  expect(new Set(statuses.map(({ state }) => state.state)).size).toBeGreaterThan(1);
  expect(log.length).toBeGreaterThan(20);
  expect(log.some(({ level }) => level === 'debug')).toBe(true);
  expect(shownBy(log)).not.toContain(SECRET);
  expect(shownBy(statuses)).not.toContain(SECRET);
  expect(shownBy(reports)).not.toContain(SECRET);
  expect(reports.map(formatReportLine).join() + reports.map(formatReportTable).join()).not.toContain(SECRET);
  for (const error of errors) expect(shownBy(error)).not.toContain(SECRET);
  const saved = filesIn(folder.path);
  expect(saved).toContain('pins.json');
  // What was told, and what was approved, is the text itself.
  expect(saved.replaceAll(`${SECRET}-text`, '')).not.toContain(SECRET);
});
