import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { afterEach, describe, expect, it } from 'vitest';

import type { ConnectionManager } from '../../src/servers/connection-manager.js';
import { makeFailure } from '../../src/servers/failure.js';
import { HandshakeWatch } from '../../src/servers/handshake-watch.js';
import { nextStep, type Step } from '../../src/servers/next-step.js';
import { LabHttp, type LabHttpFault, type LabHttpScript } from '../fixtures/servers/lab-http.js';
import { manage, reach, snapshot } from './support/lab.js';
import { ManualClock } from './support/manual-clock.js';

const open: Array<() => Promise<void>> = [];

afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

/** A server that is connected, and can be lost and come back as another one. */
async function begin(script: LabHttpScript): Promise<{
  readonly lab: LabHttp;
  readonly manager: ConnectionManager;
  readonly observer: ReturnType<typeof manage>['observer'];
  readonly comeBack: (as: LabHttpScript) => Promise<void>;
  readonly asked: () => readonly (string | undefined)[];
}> {
  const clock = new ManualClock();
  const lab = await LabHttp.start(script);
  const { manager, observer } = manage({ clock });
  open.push(
    () => manager.close(),
    () => lab.close(),
  );
  manager.add('one', { url: lab.url });
  await manager.whenSettled();
  let seen = 0;
  const asked = (): readonly (string | undefined)[] =>
    lab.requests
      .slice(seen)
      .map(({ method, verb }) => method ?? verb)
      .filter((name) => ['server/discover', 'initialize', 'GET'].includes(name));
  const comeBack = async (as: LabHttpScript): Promise<void> => {
    const lost = reach(manager, 'one', 'unavailable');
    lab.script = { faults: { '*': 'close' } };
    lab.dropStreams();
    await manager
      .client('one')
      ?.listTools()
      .catch(() => {});
    await lost;
    seen = lab.requests.length;
    lab.script = as;
    const attempt = new Promise<void>((resolve) => {
      const off = manager.on('state', ({ state: { state } }) => {
        if (state === 'connecting') return;
        off();
        resolve();
      });
    });
    await expect.poll(() => clock.nextMs).toBeDefined();
    clock.advance(40_000);
    await attempt;
  };
  return { lab, manager, observer, comeBack, asked };
}

const legacy: LabHttpScript = { text: 'old', eras: ['legacy'] };
const modern: LabHttpScript = { text: 'new', eras: ['modern'] };

describe('a server that was found to be legacy', () => {
  it('is not asked for its era when it comes back', async () => {
    const { comeBack, asked, manager } = await begin(legacy);
    await comeBack({ ...legacy, text: 'again' });
    expect(snapshot(manager, 'one').record?.value).toBe('again');
    expect(asked().slice(0, 1)).toEqual(['initialize']);
    expect(asked()).not.toContain('server/discover');
  });

  it.each<[string, LabHttpFault | undefined]>([
    ['an error of the protocol', undefined],
    ['HTTP 400', { status: 400 }],
    ['HTTP 404', { status: 404 }],
    ['HTTP 500', { status: 500 }],
    ['a closed socket', 'close'],
  ])(
    'and comes back as modern only, refusing `initialize` with %s: found in one attempt',
    async (_, fault) => {
      const { comeBack, asked, manager } = await begin(legacy);
      await comeBack({ ...modern, faults: { initialize: fault } });
      expect(snapshot(manager, 'one')).toMatchObject({
        state: { state: 'connected', era: 'modern' },
        record: { value: 'new' },
      });
      expect(asked()).toEqual(['initialize', 'server/discover']);
    },
  );

  it('is asked again after an attempt that failed', async () => {
    const { comeBack, asked, manager } = await begin(legacy);
    await comeBack({ faults: { '*': { status: 500 } } });
    expect(manager.status('one')?.state.state).toBe('unavailable');
    const { length } = asked();
    await manager.reconnect('one');
    expect(asked().slice(length)[0]).toBe('server/discover');
  });

  it('is asked again when the host wants it connected anew', async () => {
    const { lab, manager } = await begin(legacy);
    lab.script = { text: 'both' };
    await manager.reconnect('one');
    expect(snapshot(manager, 'one')).toMatchObject({ state: { era: 'modern' }, record: { value: 'both' } });
  });

  it('over the older transport goes there at once', async () => {
    const { comeBack, asked, manager } = await begin({ sse: 'yes', text: 'old' });
    expect(manager.status('one')?.transport).toBe('sse');
    await comeBack({ sse: 'yes', text: 'again' });
    expect(snapshot(manager, 'one').record?.value).toBe('again');
    expect(asked()).toEqual(['initialize', 'GET', 'initialize']);
  });

  it('over the older transport, and comes back as modern only', async () => {
    const { comeBack, manager } = await begin({ sse: 'yes', text: 'old' });
    await comeBack({ ...modern, faults: { initialize: { status: 404 } } });
    expect(snapshot(manager, 'one')).toMatchObject({ state: { era: 'modern' }, record: { value: 'new' } });
  });
});

describe('an answer to discover that proves nothing', () => {
  const answers: Record<string, LabHttpScript> = {
    'HTTP 408': { faults: { 'server/discover': { status: 408 } } },
    'HTTP 425': { faults: { 'server/discover': { status: 425 } } },
    'HTTP 429': { faults: { 'server/discover': { status: 429 } } },
    'HTTP 503': { faults: { 'server/discover': { status: 503 } } },
    'error -32603': { discover: -32_603 },
    'error -32000': { discover: -32_000 },
  };
  it.each(Object.keys(answers))('%s: `initialize`, a warning, and no verdict', async (name) => {
    const { comeBack, manager, observer } = await begin({ text: 'x', ...answers[name] });
    expect(snapshot(manager, 'one').state).toMatchObject({ state: 'connected', era: 'legacy' });
    expect(observer.named('era-chosen-by-timeout')).toMatchObject([
      { level: 'warn', fields: { server: 'one', reason: 'failure' } },
    ]);
    expect(observer.problems).toEqual([]);
    await comeBack({ text: 'x' });
    expect(snapshot(manager, 'one').state).toMatchObject({ state: 'connected', era: 'modern' });
  });

  const proofs: Record<string, LabHttpScript> = {
    'HTTP 400': { faults: { 'server/discover': { status: 400 } } },
    'HTTP 404': { faults: { 'server/discover': { status: 404 } } },
    'HTTP 422': { faults: { 'server/discover': { status: 422 } } },
    'error -32601': { discover: -32_601 },
    'error -32602': { discover: -32_602 },
  };
  it.each(Object.keys(proofs))('%s proves something: no warning, and it is remembered', async (name) => {
    const { comeBack, manager, observer } = await begin({ text: 'x', ...proofs[name] });
    expect(observer.named('era-chosen-by-timeout')).toEqual([]);
    await comeBack({ text: 'x' });
    expect(snapshot(manager, 'one').state).toMatchObject({ state: 'connected', era: 'legacy' });
  });
});

describe('nextStep, for a process', () => {
  function watchWith(...sent: readonly string[]): HandshakeWatch {
    const transport: Transport = { start: async () => {}, send: async () => {}, close: async () => {} };
    const watch = new HandshakeWatch(transport);
    for (const [id, method] of sent.entries()) {
      const message: JSONRPCMessage = { jsonrpc: '2.0', id, method };
      void transport.send(message);
    }
    return watch;
  }

  const auto: Step = { kind: 'stdio', mode: 'auto', doubt: undefined, remembered: undefined };

  it.each([
    [{ exitCode: undefined, signal: 'SIGKILL' }, 'failure'],
    [{ exitCode: 137, signal: undefined }, 'failure'],
    [{ exitCode: 1, signal: undefined }, 'proven'],
    [{ exitCode: 0, signal: undefined }, 'proven'],
  ])('ended while it was asked, %j: %s', (end, doubt) => {
    const process = { ...end, ignoredLines: 0, stderrTail: '' };
    const failure = makeFailure('exited', 'ended', { process });
    expect(nextStep(auto, failure, watchWith('server/discover'))).toMatchObject({ mode: 'legacy', doubt });
  });

  it('remembered as legacy, but `initialize` no longer works: its era is asked for', () => {
    const step: Step = { ...auto, mode: 'legacy', remembered: 'stdio' };
    for (const kind of ['protocol-error', 'exited'] as const)
      expect(nextStep(step, makeFailure(kind, 'x'), watchWith('initialize'))).toEqual(auto);
    expect(nextStep(step, makeFailure('spawn-failed', 'x'), watchWith('initialize'))).toBeUndefined();
  });
});
