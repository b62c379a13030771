import { afterEach, describe, expect, it } from 'vitest';

import { RedirectError, withinOrigin } from '../../src/servers/http-redirect.js';
import { LabHttp, type LabHttpFault, type LabHttpScript } from '../fixtures/servers/lab-http.js';
import { manage, reach } from './support/lab.js';

const open: Array<() => Promise<void>> = [];

afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

async function startLab(script: LabHttpScript): Promise<LabHttp> {
  const lab = await LabHttp.start(script);
  open.push(() => lab.close());
  return lab;
}

describe('a server that sends requests of ours elsewhere, with the headers that are meant for it', () => {
  const headers = { 'X-Api-Key': 'hunter2' };

  async function begin(script: LabHttpScript): Promise<{
    readonly lab: LabHttp;
    readonly elsewhere: LabHttp;
    readonly redirect: LabHttpFault;
    readonly manager: ReturnType<typeof manage>['manager'];
  }> {
    const elsewhere = await startLab({ text: 'not meant' });
    const lab = await startLab(script);
    const { manager } = manage();
    open.unshift(() => manager.close());
    manager.add('one', { url: lab.url, headers });
    await manager.whenSettled();
    expect(manager.status('one')?.state.state).toBe('connected');
    return { lab, elsewhere, manager, redirect: { status: 307, headers: { location: elsewhere.url } } };
  }

  it('a session is not renewed there', async () => {
    const script: LabHttpScript = { text: 'x', eras: ['legacy'], sessionFault: { status: 404 } };
    const { lab, elsewhere, manager, redirect } = await begin(script);
    lab.forgetSessions();
    lab.script = { ...script, faults: { initialize: redirect } };
    const lost = reach(manager, 'one', 'unavailable');
    await expect(manager.client('one')?.listTools()).rejects.toThrow('Error POSTing');
    await lost;
    expect(lab.count('initialize')).toBe(2);
    expect(elsewhere.requests).toEqual([]);
  });

  it('a session is not ended there', async () => {
    const script: LabHttpScript = { text: 'x', eras: ['legacy'], sessionFault: { status: 404 } };
    const { lab, elsewhere, manager, redirect } = await begin(script);
    lab.script = { ...script, faults: { DELETE: redirect } };
    await manager.refresh('one');
    await expect.poll(() => lab.requests.filter(({ verb }) => verb === 'DELETE')).toHaveLength(1);
    await manager.refresh('one');
    await manager.close();
    expect(elsewhere.requests).toEqual([]);
  });

  it('who answers there does not show that the server is still there', async () => {
    const script: LabHttpScript = { text: 'x' };
    const { lab, elsewhere, manager, redirect } = await begin(script);
    lab.script = { ...script, faults: { 'tools/list': 'close', ping: redirect } };
    const lost = reach(manager, 'one', 'unavailable');
    await expect(manager.client('one')?.listTools()).rejects.toThrow('fetch failed');
    expect(await lost).toMatchObject({ reason: { kind: 'http-status', status: 307 } });
    expect(elsewhere.requests).toEqual([]);
  });

  it('nor does it confirm a text from before', async () => {
    const script: LabHttpScript = { text: 'x', ttlMs: 60_000 };
    const { lab, elsewhere, manager, redirect } = await begin(script);
    lab.script = { ...script, faults: { '*': redirect } };
    await manager.reconnect('one');
    expect(manager.status('one')?.state).toMatchObject({ state: 'unavailable' });
    expect(elsewhere.requests).toEqual([]);
  });
});

describe('withinOrigin', () => {
  const home = 'https://a.example/mcp';

  /** @returns what was asked, and what came of it */
  async function follow(
    answers: readonly Response[],
    init: RequestInit,
    url = home,
  ): Promise<{ readonly asked: readonly string[]; readonly status: number; readonly refused: boolean }> {
    const asked: string[] = [];
    const left = [...answers];
    try {
      const response = await withinOrigin(async (target, { redirect } = {}) => {
        expect(redirect).toBe('manual');
        asked.push(String(target));
        return left.shift() ?? new Response('end');
      })(url, init);
      return { asked, status: response.status, refused: false };
    } catch (error) {
      if (!(error instanceof RedirectError)) throw error;
      return { asked, status: error.status, refused: true };
    }
  }

  function to(location: string | undefined, status = 307): Response {
    return new Response('moved', { status, headers: location === undefined ? {} : { location } });
  }

  it.each([
    ['https://a.example/mcp/', 307, 'https://a.example/mcp/'],
    ['/other', 308, 'https://a.example/other'],
  ])('follows %s (HTTP %i)', async (location, status, target) => {
    const seen = await follow([to(location, status)], { method: 'POST', body: '{}' });
    expect(seen).toEqual({ asked: [home, target], status: 200, refused: false });
  });

  it.each([
    ['https://b.example/mcp', 307],
    ['https://a.example:444/mcp', 307],
    ['http://a.example/mcp', 307],
    ['https://user:secret@a.example/mcp', 307],
    ['https://a.example/mcp/', 303],
    ['https://a.example/mcp/', 301],
    ['//b.example', 308],
    ['http://[', 307],
    [undefined, 307],
  ])('refuses %s (HTTP %i)', async (location, status) => {
    const seen = await follow([to(location, status)], { method: 'POST', body: '{}' });
    expect(seen).toEqual({ asked: [home], status, refused: true });
  });

  it('follows to the encrypted form of an address, and a GET whatever the status', async () => {
    const up = await follow([to('https://a.example/mcp')], { method: 'POST' }, 'http://a.example/mcp');
    expect(up.refused).toBe(false);
    expect((await follow([to('/b', 302)], {})).asked).toHaveLength(2);
  });

  it('goes in no circle', async () => {
    const seen = await follow(
      Array.from({ length: 20 }, () => to(home)),
      { method: 'POST' },
    );
    expect(seen).toMatchObject({ refused: true });
    expect(seen.asked).toHaveLength(6);
  });

  it.each([
    ['https://b.example/', true],
    ['https://a.example/there', false],
  ])('what was followed already, to %s', async (url, refused) => {
    const followed = Object.defineProperties(new Response('x'), {
      redirected: { value: true },
      url: { value: url },
    });
    expect((await follow([followed], { method: 'POST' })).refused).toBe(refused);
  });

  it('what a browser hides is refused', async () => {
    const hidden = Object.defineProperty(new Response(null), 'type', { value: 'opaqueredirect' });
    expect((await follow([hidden], { method: 'POST' })).refused).toBe(true);
  });
});
