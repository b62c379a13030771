import type { OAuthClientProvider } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';

import { InstructionsError } from '../../src/errors.js';
import { ConnectionManager } from '../../src/servers/connection-manager.js';
import { startHost } from '../support/host.js';
import { Folder, lab, livingProcesses, reach } from './support/lab.js';
import { ManualClock } from './support/manual-clock.js';
import { closeLater, start } from './support/started.js';

const stubborn = { ignoreInputEnd: true, ignoreSigterm: true, text: 'x' } as const;

/** The most processes alive at once until a promise is there. */
async function mostUntil(done: Promise<unknown>): Promise<number> {
  let most = 0;
  const timer = setInterval(() => {
    most = Math.max(most, livingProcesses().length);
  }, 20);
  await done;
  clearInterval(timer);
  return most;
}

/** Has the server `one` exchange a code with a fetch of the host's that hangs, and runs code at once when it is aborted. */
async function exchange(manager: ConnectionManager, onAbort: () => void): Promise<void> {
  let isStuck = false;
  const fetch = async (_url: unknown, init?: RequestInit): Promise<Response> => {
    if (!isStuck) return new Response(null, { status: init?.method === 'POST' ? 401 : 404 });
    return await new Promise((_resolve, reject) => {
      asked();
      init?.signal?.addEventListener('abort', () => {
        onAbort();
        reject(new Error('aborted'));
      });
    });
  };
  let asked = (): void => {};
  const hangs = new Promise<void>((resolve) => {
    asked = resolve;
  });
  const authProvider: OAuthClientProvider = {
    redirectUrl: 'http://127.0.0.1:9/back',
    clientMetadata: { redirect_uris: ['http://127.0.0.1:9/back'] },
    clientInformation: () => ({ client_id: 'a' }),
    tokens: () => undefined,
    saveTokens: () => {},
    redirectToAuthorization: () => {},
    saveCodeVerifier: () => {},
    codeVerifier: () => 'verifier',
  };
  manager.add('one', { url: 'http://127.0.0.1:9/', fetch, authProvider });
  await reach(manager, 'one', 'needs-auth');
  isStuck = true;
  manager.finishAuth('one', 'code').catch(() => {});
  await hangs;
}

describe('code of the host that runs while a server ends', () => {
  it('the log: an id that is added again there waits for the last process of it', async () => {
    let isAdded = false;
    const observer = {
      emit(_level: string, event: string): void {
        if (event !== 'server-removed' || isAdded) return;
        isAdded = true;
        manager.add('one', lab(stubborn));
      },
    };
    const manager: ConnectionManager = new ConnectionManager({ observer });
    closeLater(manager);
    manager.add('one', lab(stubborn));
    await manager.whenSettled();
    const removed = manager.remove('one');
    expect(isAdded).toBe(true);
    expect(await mostUntil(Promise.all([removed, manager.whenSettled()]))).toBe(1);
    expect(manager.status('one')?.state.state).toBe('connected');
  });

  it('an aborted fetch: an id that is replaced there is replaced once more, and nothing is lost', async () => {
    const { manager } = start();
    await exchange(manager, () => manager.add('one', lab(stubborn)));
    // The code above runs in here.
    manager.add('one', lab(stubborn));
    expect(await mostUntil(manager.whenSettled())).toBe(1);
    expect(manager.status('one')?.state.state).toBe('connected');
    await manager.close();
    expect(livingProcesses()).toEqual([]);
  });

  it('close(): nothing can be added any more', async () => {
    const { manager } = start();
    let code: unknown;
    await exchange(manager, () => {
      try {
        manager.add('late', lab(stubborn));
      } catch (error) {
        code = error instanceof InstructionsError ? error.code : error;
      }
    });
    await manager.close();
    expect(code).toBe('CLOSED');
    expect(manager.status().map(({ id }) => id)).toEqual(['one']);
  });

  it.each(['instructions', 'state'] as const)(
    'a listener to `%s` that takes the server out: the only news that follows is its end',
    async (event) => {
      const { manager } = start();
      const heard: string[] = [];
      manager.on('state', ({ id, state }) => {
        heard.push(state.state);
        if (event === 'state' && state.state === 'connected') void manager.remove(id);
      });
      manager.on('client', ({ client }) => heard.push(client === undefined ? 'no client' : 'client'));
      manager.on('instructions', ({ id }) => {
        heard.push('instructions');
        if (event === 'instructions') void manager.remove(id);
      });
      const removed = reach(manager, 'one', 'removed');
      manager.add('one', lab({ text: 'x' }));
      await removed;
      await manager.close();
      const last = event === 'state' ? ['connected', 'removed', 'no client'] : ['removed'];
      expect(heard).toEqual(['connecting', 'instructions', ...last]);
    },
  );
});

describe('a server that is taken out while others wait for it', () => {
  it.each(['remove', 'set'] as const)(
    '%s: they wait no longer, although its process still ends',
    async (how) => {
      const { manager } = start({ clock: new ManualClock() });
      using folder = new Folder();
      const script = {
        ...stubborn,
        discover: 'hang',
        initialize: 'hang',
        journal: folder.file('j'),
      } as const;
      manager.add('one', lab(script));
      await expect.poll(() => livingProcesses()).toHaveLength(1);
      const settled = manager.whenSettled();
      if (how === 'remove') void manager.remove('one');
      else manager.set({});
      await settled;
      expect(livingProcesses()).toHaveLength(1);
    },
  );
});

describe('after close()', () => {
  it('every call that needs a connection is refused with CLOSED', async () => {
    const { injector } = await startHost({ servers: { one: { ...lab({ text: 'x' }), required: true } } });
    await injector.ready();
    await injector.close();
    const { connections } = injector;
    for (const call of [
      () => injector.ready(),
      () => connections.reconnect('one'),
      () => connections.refresh('one'),
      () => connections.finishAuth('one', 'code'),
    ])
      await expect(call()).rejects.toMatchObject({ code: 'CLOSED' });
    await connections.remove('one');
  });

  it('ready() that is under way says so of a required server', async () => {
    const hanging = lab({ discover: 'hang', initialize: 'hang' });
    const { injector } = await startHost({ servers: { one: { ...hanging, required: true } } });
    const waiting = injector.ready().catch((error: unknown) => error);
    await injector.close();
    expect(await waiting).toMatchObject({ code: 'CLOSED' });
  });
});

it('an id is shown on one line, and not the whole of a long one', async () => {
  const id = `x\ny${'z'.repeat(10_000)}`;
  const { injector } = await startHost({ servers: { [id]: { command: 'no-such-program', required: true } } });
  const messages = await Promise.all(
    [
      injector.ready(),
      injector.connections.refresh(id),
      injector.connections.refresh(`${id}!`),
      injector.connections.finishAuth(id, 'code'),
    ].map(async (call) => await call.then(String, String)),
  );
  for (const message of messages) {
    expect(message).toContain(`server "x\\u{a}yzzz`);
    expect(message.length).toBeLessThan(300);
  }
});
