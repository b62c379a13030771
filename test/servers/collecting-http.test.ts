import { afterEach, describe, expect, it } from 'vitest';

import type { ConnectionManager } from '../../src/servers/connection-manager.js';
import type { Protocol } from '../../src/servers/server-config.js';
import { LabHttp, type LabHttpScript } from '../fixtures/servers/lab-http.js';
import { startSdkHttp } from '../fixtures/servers/sdk-http.mjs';
import { manage, snapshot } from './support/lab.js';

const open: Array<() => Promise<void>> = [];

function start(...parameters: Parameters<typeof manage>): ReturnType<typeof manage> {
  const made = manage(...parameters);
  open.unshift(() => made.manager.close());
  return made;
}

async function startLab(script: LabHttpScript): Promise<LabHttp> {
  const lab = await LabHttp.start(script);
  open.push(() => lab.close());
  return lab;
}

async function connect(manager: ConnectionManager, lab: LabHttp): Promise<void> {
  manager.add('one', { url: lab.url });
  await manager.whenSettled();
}

afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

describe('a server of the 2.x SDK over HTTP', () => {
  const ways: readonly [Protocol, string, string][] = [
    ['legacy', 'legacy', 'initialize'],
    ['auto', 'modern', 'discover'],
    [{ pin: '2026-07-28' }, 'modern', 'discover'],
  ];
  it.each(ways)('%j: the same text, its origin told truly', async (protocol, era, source) => {
    const { manager, observer } = start({ protocol });
    const server = await startSdkHttp('Over HTTP.');
    open.push(() => server.close());
    manager.add('one', { url: server.url });
    await manager.whenSettled();
    expect(snapshot(manager, 'one').state).toMatchObject({ state: 'connected', era, transport: 'http' });
    expect(snapshot(manager, 'one').record).toMatchObject({ value: 'Over HTTP.', source, era });
    expect(observer.problems).toEqual([]);
  });
});

describe('what a probe may meet with', () => {
  const broken: Record<string, NonNullable<LabHttpScript['faults']>[string]> = {
    'HTTP 500': { status: 500 },
    'HTTP 503': { status: 503 },
    'HTTP 404 with a body': { status: 404, body: 'Invalid session ID' },
    'HTTP 400 that is no JSON': { status: 400, body: 'no' },
    'HTTP 204': { status: 204 },
    'HTTP 202': { status: 202 },
    'plain text': { status: 200, body: 'ok', type: 'text/plain' },
    'white space': { status: 200, body: ' ', type: 'application/json' },
    HTML: { status: 200, body: '<html></html>', type: 'text/html' },
    'bad JSON': { status: 200, body: '{"jsonrpc":', type: 'application/json' },
    'a redirect elsewhere': { status: 307, headers: { location: 'http://127.0.0.1:1/' } },
    'a closed socket': 'close',
    nothing: 'hang',
  };
  it.each(Object.keys(broken))('%s: connects as legacy in the same attempt', async (name) => {
    const lab = await startLab({ text: 'legacy text', faults: { 'server/discover': broken[name] } });
    const { manager, observer } = start({ connectTimeoutMs: 1_500 });
    await connect(manager, lab);
    expect(snapshot(manager, 'one').state).toMatchObject({ state: 'connected', era: 'legacy', attempt: 1 });
    expect(snapshot(manager, 'one').record).toMatchObject({ value: 'legacy text', source: 'initialize' });
    const proves = ['HTTP 404 with a body', 'HTTP 400 that is no JSON'].includes(name);
    const reason = ['nothing', 'HTTP 202'].includes(name) ? 'timeout' : 'failure';
    expect(observer.named('era-chosen-by-timeout').map(({ fields }) => fields['reason'])).toEqual(
      proves ? [] : [reason],
    );
    expect(observer.problems).toEqual([]);
  });

  it.each([401, 403])('HTTP %i is a matter of credentials: nothing else is tried', async (status) => {
    const lab = await startLab({ faults: { '*': { status } } });
    const { manager, observer } = start();
    await connect(manager, lab);
    expect(manager.status('one')?.state).toMatchObject({
      state: 'needs-auth',
      reason: { kind: 'unauthorized', status },
    });
    expect(lab.requests).toHaveLength(1);
    expect(observer.named('server-needs-auth')).toHaveLength(1);
    expect(observer.problems).toEqual([]);
  });

  it('an address where nothing listens is not asked twice', async () => {
    const lab = await startLab({});
    await lab.close();
    open.pop();
    const { manager, observer } = start();
    await connect(manager, lab);
    expect(manager.status('one')?.state).toMatchObject({
      state: 'unavailable',
      reason: { kind: 'unreachable', code: 'ECONNREFUSED' },
    });
    expect(observer.named('server-failed')[0]?.fields).toMatchObject({ code: 'ECONNREFUSED', attempt: 1 });
  });

  it('everything hangs: given up at the deadline', async () => {
    const lab = await startLab({ faults: { '*': 'hang' } });
    const { manager } = start({ connectTimeoutMs: 300 });
    await connect(manager, lab);
    expect(manager.status('one')?.state).toMatchObject({
      state: 'unavailable',
      reason: { kind: 'timed-out' },
    });
  });

  it.each([
    ['number', 42],
    ['null', null],
    ['object', {}],
    ['array', []],
  ])('instructions that are a %s do not cost the connection', async (_name, text) => {
    const modern = await startLab({ text });
    const legacy = await startLab({ text, eras: ['legacy'], stream: true });
    const { manager } = start();
    manager.add('modern', { url: modern.url });
    manager.add('legacy', { url: legacy.url });
    await manager.whenSettled();
    expect(snapshot(manager, 'modern')).toMatchObject({
      state: { state: 'connected', era: 'modern' },
      record: { value: text },
    });
    expect(snapshot(manager, 'legacy')).toMatchObject({
      state: { state: 'connected', era: 'legacy' },
      record: { value: text },
    });
  });
});
