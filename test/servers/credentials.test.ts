import { createServer, type Server } from 'node:http';

import type { OAuthClientProvider, OAuthDiscoveryState, OAuthTokens } from '@modelcontextprotocol/client';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';

import type { ConnectionManager } from '../../src/servers/connection-manager.js';
import { shareRefresh, TokenTrail } from '../../src/servers/auth-guard.js';
import { answer } from '../fixtures/servers/lab-protocol.mjs';
import { assistant, user } from '../support/engine.js';
import { MODEL, startHost } from '../support/host.js';
import { manage, reach, snapshot } from './support/lab.js';
import { ManualClock } from './support/manual-clock.js';

const open: Array<() => Promise<void>> = [];

function start(...parameters: Parameters<typeof manage>): ReturnType<typeof manage> {
  const made = manage(...parameters);
  open.unshift(() => made.manager.close());
  return made;
}

afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

/** An MCP server and its authorization server in one, on loopback. Refresh tokens are good for one use. */
class Guarded {
  readonly #server: Server;
  accessTokens: Set<string> = new Set();
  refreshTokens: Set<string> = new Set();
  codes: Set<string> = new Set();
  grants: string[] = [];
  refused = 0;
  pings = 0;
  /** What every GET meets with. */
  refusesStreams = false;
  /** Speaks the older SSE transport only. */
  isOld = false;
  /** A path that is never answered. */
  deafTo: string | undefined;
  /** Paths of requests that never got an answer, and of those that were ended all the same. */
  readonly heldOpen: string[] = [];
  readonly ended: string[] = [];
  #issued = 0;

  private constructor() {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const path = request.url ?? '';
        if (this.deafTo !== undefined && path.startsWith(this.deafTo)) {
          this.heldOpen.push(path);
          response.on('close', () => this.ended.push(path));
          return;
        }
        const [status, body, headers] = this.#answer(
          request.url ?? '',
          request.method ?? '',
          Buffer.concat(chunks).toString(),
          request.headers.authorization,
        );
        response.writeHead(status, { 'content-type': 'application/json', ...headers });
        response.end(body === undefined ? undefined : JSON.stringify(body));
      });
    });
  }

  static async start(): Promise<Guarded> {
    const guarded = new Guarded();
    await new Promise<void>((resolve) => guarded.#server.listen(0, '127.0.0.1', resolve));
    open.push(async () => {
      guarded.#server.closeAllConnections();
      await new Promise<void>((resolve) => guarded.#server.close(() => resolve()));
    });
    return guarded;
  }

  get origin(): string {
    const address = this.#server.address();
    return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  }

  get url(): string {
    return `${this.origin}/mcp`;
  }

  /** Tokens as if granted before. */
  grant(): OAuthTokens {
    this.#issued += 1;
    const tokens = {
      access_token: `access-${this.#issued}`,
      refresh_token: `refresh-${this.#issued}`,
      token_type: 'Bearer',
    };
    this.accessTokens.add(tokens.access_token);
    this.refreshTokens.add(tokens.refresh_token);
    return tokens;
  }

  #answer(
    url: string,
    verb: string,
    body: string,
    authorization: string | undefined,
  ): [number, object?, Record<string, string>?] {
    if (url.startsWith('/.well-known/oauth-protected-resource'))
      return [200, { resource: this.url, authorization_servers: [this.origin] }];
    if (url.startsWith('/.well-known/'))
      return [
        200,
        {
          issuer: this.origin,
          authorization_endpoint: `${this.origin}/authorize`,
          token_endpoint: `${this.origin}/token`,
          response_types_supported: ['code'],
          code_challenge_methods_supported: ['S256'],
        },
      ];
    if (url === '/token') return this.#token(new URLSearchParams(body));
    if (this.isOld && verb === 'POST') return [405];
    const token = this.refusesStreams && verb === 'GET' ? undefined : authorization?.replace('Bearer ', '');
    if (token === undefined || !this.accessTokens.has(token)) {
      this.refused += 1;
      const metadata = `${this.origin}/.well-known/oauth-protected-resource`;
      return [
        401,
        {},
        { 'www-authenticate': `Bearer error="invalid_token", resource_metadata="${metadata}"` },
      ];
    }
    if (verb !== 'POST') return [405];
    const message: { id?: unknown; method?: string } = JSON.parse(body);
    if (message.method === 'ping') this.pings += 1;
    const reply = answer({ text: 'for those who may' }, message, 1);
    return reply === undefined ? [202] : [200, { jsonrpc: '2.0', id: message.id, ...reply }];
  }

  #token(form: URLSearchParams): [number, object] {
    const grant = form.get('grant_type') ?? '';
    this.grants.push(grant);
    const isGood =
      grant === 'refresh_token'
        ? this.refreshTokens.delete(form.get('refresh_token') ?? '')
        : this.codes.delete(form.get('code') ?? '');
    return isGood ? [200, this.grant()] : [400, { error: 'invalid_grant' }];
  }
}

/** What a host keeps for one user. */
class Keyring implements OAuthClientProvider {
  held: OAuthTokens | undefined;
  redirects = 0;
  #verifier = '';
  /** Whether the host's own part never comes back, and how often it was asked. */
  isStuck = false;
  stuck = 0;
  readonly redirectUrl = 'http://127.0.0.1/callback';
  readonly clientMetadata = { redirect_uris: ['http://127.0.0.1/callback'], client_name: 'test' };

  constructor(held?: OAuthTokens) {
    this.held = held;
  }

  clientInformation(): { client_id: string } {
    return { client_id: 'test' };
  }

  tokens(): OAuthTokens | undefined {
    return this.held;
  }

  saveTokens(tokens: OAuthTokens): void {
    this.held = tokens;
  }

  redirectToAuthorization(): void {
    this.redirects += 1;
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string | Promise<string> {
    if (this.isStuck) {
      this.stuck += 1;
      return new Promise(() => {});
    }
    return this.#verifier;
  }

  invalidateCredentials(scope: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery'): void {
    if (scope === 'all' || scope === 'tokens') this.held = undefined;
  }
}

describe('a server that wants credentials', () => {
  it('401, then needs-auth, then finishAuth, then connected with its text', async () => {
    const guarded = await Guarded.start();
    const keyring = new Keyring();
    const { manager, observer } = start({ clock: new ManualClock() });
    manager.add('one', { url: guarded.url, authProvider: keyring });
    await manager.whenSettled();
    expect(manager.status('one')).toMatchObject({
      state: { state: 'needs-auth', reason: { kind: 'unauthorized' } },
    });
    expect(snapshot(manager, 'one').unavailableSince).toBeUndefined();
    expect(keyring.redirects).toBe(1);
    await expect(manager.finishAuth('one', 'wrong')).rejects.toThrow(/grant/iu);
    expect(manager.status('one')?.state.state).toBe('needs-auth');
    guarded.codes.add('right');
    await manager.finishAuth('one', 'right');
    expect(snapshot(manager, 'one')).toMatchObject({
      state: { state: 'connected' },
      record: { value: 'for those who may', source: 'discover' },
    });
    expect(observer.named('server-needs-auth')).toHaveLength(1);
    expect(observer.problems).toEqual([]);
    await expect(manager.finishAuth('one', 'again')).rejects.toMatchObject({ code: 'NOT_CONNECTED' });
  });

  it('is told once it is connected, and not before', async () => {
    const guarded = await Guarded.start();
    const { injector, conversation } = await startHost({
      servers: { one: { url: guarded.url, authProvider: new Keyring() } },
    });
    const messages = [user('q')];
    const before = await conversation.prepare({ model: MODEL, messages });
    await before.commit();
    expect(before.report).toMatchObject({
      placed: false,
      servers: [{ connection: 'needs-auth', change: null }],
    });
    guarded.codes.add('right');
    await injector.connections.finishAuth('one', 'right');
    messages.push(assistant('a'), user('r'));
    const after = await conversation.prepare({ model: MODEL, messages });
    expect(after.report).toMatchObject({ placed: true, servers: [{ outcome: 'told', change: 'added' }] });
    expect(JSON.stringify(after.request)).toContain('for those who may');
  });

  describe('a code that nobody exchanges', () => {
    const ends = {
      'the time of an attempt': (_: ConnectionManager, clock: ManualClock) => clock.advance(30_000),
      'close()': (manager: ConnectionManager) => void manager.close(),
      'remove()': (manager: ConnectionManager) => void manager.remove('one'),
      'another configuration': (manager: ConnectionManager) => manager.add('one', { command: 'no-such' }),
    };
    const codes: Record<keyof typeof ends, string> = {
      'the time of an attempt': 'NOT_CONNECTED',
      'close()': 'CLOSED',
      'remove()': 'UNKNOWN_SERVER',
      'another configuration': 'UNKNOWN_SERVER',
    };
    const names = Object.keys(ends) as (keyof typeof ends)[];
    const places = ['/token', '/.well-known/', 'the host'];

    it.each(places.flatMap((place) => names.map((name) => [place, name] as const)))(
      'hangs at %s: ended by %s',
      async (place, name) => {
        const guarded = await Guarded.start();
        const keyring = new Keyring();
        const clock = new ManualClock();
        const { manager } = start({ clock });
        manager.add('one', { url: guarded.url, authProvider: keyring });
        await manager.whenSettled();
        if (place === 'the host') keyring.isStuck = true;
        else guarded.deafTo = place;
        const finishing = manager.finishAuth('one', 'right');
        const refused = finishing.catch((error: unknown) => error);
        await expect.poll(() => guarded.heldOpen.length + keyring.stuck).toBe(1);
        ends[name](manager, clock);
        expect(await refused).toMatchObject({
          name: 'InstructionsError',
          code: codes[name],
          message: expect.not.stringContaining('right'),
        });
        // Not only left behind: nothing goes on below.
        if (place !== 'the host') await expect.poll(() => guarded.ended).toEqual(guarded.heldOpen);
        await manager.close();
        expect(guarded.grants).toEqual([]);
      },
    );

    it('leaves the server waiting, and another code connects it', async () => {
      const guarded = await Guarded.start();
      const clock = new ManualClock();
      const { manager } = start({ clock });
      manager.add('one', { url: guarded.url, authProvider: new Keyring() });
      await manager.whenSettled();
      guarded.deafTo = '/token';
      const finishing = manager.finishAuth('one', 'first');
      await expect.poll(() => guarded.heldOpen).toHaveLength(1);
      clock.advance(30_000);
      await expect(finishing).rejects.toThrow('within 30000 ms; it still waits for one');
      expect(manager.status('one')?.state.state).toBe('needs-auth');
      guarded.deafTo = undefined;
      guarded.codes.add('second');
      await manager.finishAuth('one', 'second');
      expect(manager.status('one')?.state.state).toBe('connected');
    });
  });

  describe('two codes at once', () => {
    async function waiting(): Promise<{ readonly guarded: Guarded; readonly manager: ConnectionManager }> {
      const guarded = await Guarded.start();
      const { manager } = start({ clock: new ManualClock() });
      manager.add('one', { url: guarded.url, authProvider: new Keyring() });
      await manager.whenSettled();
      return { guarded, manager };
    }

    it.each([
      ['the same one', 'right', 'right'],
      ['the same query', new URLSearchParams({ code: 'right' }), new URLSearchParams({ code: 'right' })],
    ])('%s: it is exchanged once, and both hear of it', async (_, first, second) => {
      const { guarded, manager } = await waiting();
      guarded.codes.add('right');
      await Promise.all([manager.finishAuth('one', first), manager.finishAuth('one', second)]);
      expect(guarded.grants).toEqual(['authorization_code']);
      expect(manager.status('one')?.state.state).toBe('connected');
    });

    it('a wrong one, then another: each has its turn', async () => {
      const { guarded, manager } = await waiting();
      guarded.codes.add('right');
      const [wrong, right] = await Promise.allSettled([
        manager.finishAuth('one', 'wrong'),
        manager.finishAuth('one', 'right'),
      ]);
      expect([wrong.status, right.status]).toEqual(['rejected', 'fulfilled']);
      expect(manager.status('one')?.state.state).toBe('connected');
    });

    it('a second one after one that was good is not exchanged', async () => {
      const { guarded, manager } = await waiting();
      guarded.codes.add('right');
      const first = manager.finishAuth('one', 'right');
      await expect(manager.finishAuth('one', 'other')).rejects.toMatchObject({ code: 'NOT_CONNECTED' });
      await first;
      expect(guarded.grants).toEqual(['authorization_code']);
    });

    it('one that waits behind a code that hangs hears of the end', async () => {
      const { guarded, manager } = await waiting();
      guarded.deafTo = '/token';
      const codes = ['first', 'second'].map((code) => manager.finishAuth('one', code));
      const ends = Promise.allSettled(codes);
      await expect.poll(() => guarded.heldOpen).toHaveLength(1);
      await manager.close();
      for (const end of await ends) expect(end).toMatchObject({ reason: { code: 'CLOSED' } });
    });
  });

  it('and speaks the older transport only is found out to, and takes a code', async () => {
    const guarded = await Guarded.start();
    guarded.isOld = true;
    const keyring = new Keyring();
    const { manager } = start({ clock: new ManualClock() });
    manager.add('plain', { url: guarded.url });
    manager.add('one', { url: guarded.url, authProvider: keyring });
    await manager.whenSettled();
    for (const id of ['plain', 'one'])
      expect(manager.status(id)?.state).toMatchObject({
        state: 'needs-auth',
        reason: { kind: 'unauthorized', status: 401 },
      });
    expect(keyring.redirects).toBe(1);
    guarded.codes.add('right');
    await manager.finishAuth('one', 'right');
    expect(guarded.grants).toEqual(['authorization_code']);
    // It has no stream to give, but it let us in.
    expect(manager.status('one')?.state).toMatchObject({ state: 'unavailable', reason: { status: 405 } });
  });

  it('for its streams alone keeps its connection, and nobody is asked for others', async () => {
    const guarded = await Guarded.start();
    guarded.refusesStreams = true;
    const keyring = new Keyring(guarded.grant());
    const { manager } = start({ protocol: 'legacy' });
    manager.add('one', { url: guarded.url, authProvider: keyring });
    const token = keyring.held?.access_token;
    manager.add('plain', { url: guarded.url, headers: { Authorization: `Bearer ${token}` } });
    await manager.whenSettled();
    const clients = ['one', 'plain'].map((id) => manager.client(id));
    await expect.poll(() => guarded.refused).toBe(2);
    await expect.poll(() => guarded.pings).toBe(1);
    for (const client of clients) await client?.listTools();
    expect(['one', 'plain'].map((id) => manager.client(id))).toEqual(clients);
    expect(guarded.grants).toEqual([]);
    expect(keyring.redirects).toBe(0);
  });

  it('a provider that keeps all it is given gives the SDK no reason to warn on the terminal', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    onTestFinished(() => warn.mockRestore());
    let state: OAuthDiscoveryState | undefined;
    const keyring = Object.assign(new Keyring(), {
      saveDiscoveryState: (given: OAuthDiscoveryState) => void (state = given),
      discoveryState: () => state,
    });
    const guarded = await Guarded.start();
    const { manager } = start({ clock: new ManualClock() });
    manager.add('one', { url: guarded.url, authProvider: keyring });
    await manager.whenSettled();
    guarded.codes.add('right');
    await manager.finishAuth('one', 'right');
    guarded.accessTokens.clear();
    await manager.client('one')?.listTools();
    expect(guarded.grants).toEqual(['authorization_code', 'refresh_token']);
    expect(warn.mock.calls).toEqual([]);
  });

  it('without a provider it waits for the host, and asks nobody meanwhile', async () => {
    const guarded = await Guarded.start();
    const clock = new ManualClock();
    const { manager } = start({ clock });
    manager.add('one', { url: guarded.url });
    await manager.whenSettled();
    clock.advance(3_600_000);
    expect(manager.status('one')?.state).toMatchObject({ state: 'needs-auth', attempt: 1 });
    expect(guarded.refused).toBe(1);
    const { access_token: token } = guarded.grant();
    manager.add('one', { url: guarded.url, headers: { Authorization: `Bearer ${token}` } });
    await manager.whenSettled();
    expect(snapshot(manager, 'one').record?.value).toBe('for those who may');
  });
});

describe('a token that ends in the middle', () => {
  it('four calls that meet 401 at once: one refresh, each call repeated once', async () => {
    const guarded = await Guarded.start();
    const keyring = new Keyring(guarded.grant());
    const { manager } = start();
    manager.add('one', { url: guarded.url, authProvider: keyring });
    await manager.whenSettled();
    guarded.accessTokens.clear();
    const client = manager.client('one');
    const answers = await Promise.all(Array.from({ length: 4 }, async () => await client?.listTools()));
    expect(answers).toHaveLength(4);
    expect(guarded.grants).toEqual(['refresh_token']);
    expect(guarded.refused).toBe(4);
    expect(manager.client('one')).toBe(client);
    expect(keyring.redirects).toBe(0);
  });

  it('a refresh that is refused: needs-auth, its text stays, nothing is retried', async () => {
    const guarded = await Guarded.start();
    const keyring = new Keyring(guarded.grant());
    const clock = new ManualClock();
    const { manager, observer } = start({ clock });
    manager.add('one', { url: guarded.url, authProvider: keyring });
    await manager.whenSettled();
    guarded.accessTokens.clear();
    guarded.refreshTokens.clear();
    const waiting = reach(manager, 'one', 'needs-auth');
    await expect(manager.client('one')?.listTools()).rejects.toThrow('Unauthorized');
    await waiting;
    expect(snapshot(manager, 'one')).toMatchObject({
      record: { value: 'for those who may' },
      unavailableSince: undefined,
    });
    const { refused } = guarded;
    clock.advance(3_600_000);
    expect(guarded.refused).toBe(refused);
    guarded.codes.add('new');
    await manager.finishAuth('one', 'new');
    expect(manager.status('one')?.state.state).toBe('connected');
    expect(observer.problems).toEqual([]);
  });

  it('a reconnect in the background sends nobody to a browser', async () => {
    const guarded = await Guarded.start();
    const keyring = new Keyring(guarded.grant());
    const clock = new ManualClock();
    const { manager } = start({ clock });
    let isDown = true;
    const fetch: typeof globalThis.fetch = async (url, init) => {
      if (isDown) throw Object.assign(new TypeError('down'), { code: 'ECONNREFUSED' });
      return await globalThis.fetch(url, init);
    };
    manager.add('one', { url: guarded.url, authProvider: keyring, fetch });
    await manager.whenSettled();
    expect(manager.status('one')?.state).toMatchObject({
      state: 'unavailable',
      reason: { code: 'ECONNREFUSED' },
    });
    isDown = false;
    guarded.accessTokens.clear();
    guarded.refreshTokens.clear();
    const waiting = reach(manager, 'one', 'needs-auth');
    clock.advance(1_200);
    await waiting;
    expect(keyring.redirects).toBe(0);
    await manager.reconnect('one');
    expect(keyring.redirects).toBe(1);
  });
});

it('a refresh that never ends holds up only those who wait for it', async () => {
  const clock = new ManualClock();
  let refreshes = 0;
  let failures = 0;
  const guard = shareRefresh(
    {
      token: async () => 'old',
      onUnauthorized: async () => {
        refreshes += 1;
        if (refreshes === 1) await new Promise(() => {});
      },
    },
    {
      clock,
      trail: new TokenTrail(),
      signal: () => new AbortController().signal,
      isStillGood: async () => false,
      onFailed: () => (failures += 1),
    },
  );
  const context = {
    response: new Response(null, { status: 401 }),
    serverUrl: new URL('http://127.0.0.1/'),
    fetchFn: fetch,
  };
  const waiting = Promise.allSettled([guard.onUnauthorized?.(context), guard.onUnauthorized?.(context)]);
  await expect.poll(() => refreshes).toBe(1);
  clock.advance(60_000);
  expect((await waiting).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(failures).toBe(2);
  await guard.onUnauthorized?.(context);
  expect(refreshes).toBe(2);
});
