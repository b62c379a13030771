import { afterEach, describe, expect, it } from 'vitest';

import type { ConnectionManager } from '../../src/servers/connection-manager.js';
import { EventHub } from '../../src/servers/event-hub.js';
import { parseServerConfig } from '../../src/servers/server-config.js';
import { lab, manage } from './support/lab.js';

const managers: ConnectionManager[] = [];

function start(...parameters: Parameters<typeof manage>): ConnectionManager {
  const { manager } = manage(...parameters);
  managers.push(manager);
  return manager;
}

afterEach(async () => {
  for (const manager of managers.splice(0)) await manager.close();
});

/** Calls a method as somebody without types would. */
async function call(manager: ConnectionManager, method: string, ...parameters: unknown[]): Promise<unknown> {
  const found: unknown = Reflect.get(manager, method);
  if (typeof found !== 'function') throw new Error(`no method ${method}`);
  return await Reflect.apply(found, manager, parameters);
}

const wrong = { code: 'INVALID_SERVER' };

describe('wrong arguments', () => {
  const ids: readonly unknown[] = [42, Symbol('x'), null, '', {}, []];
  const methods = ['add', 'remove', 'status', 'client', 'reconnect', 'refresh', 'finishAuth'];
  it.each(methods)('%s: an id that is no string', async (method) => {
    const manager = start();
    for (const id of ids) await expect(call(manager, method, id, {})).rejects.toMatchObject(wrong);
    if (method !== 'status') await expect(call(manager, method)).rejects.toMatchObject(wrong);
    expect(manager.status()).toEqual([]);
  });

  it('set: rubbish changes nothing', async () => {
    const manager = start();
    manager.add('one', lab({ text: 'x' }));
    const config = lab({ text: 'x' });
    for (const servers of [42, [], true, null, undefined, [config], new Map([[42, config]]), { '': config }])
      await expect(call(manager, 'set', servers)).rejects.toMatchObject(wrong);
    expect(manager.status().map(({ id }) => id)).toEqual(['one']);
  });

  it('on: an unknown event, a listener that is no function', async () => {
    const manager = start();
    await expect(call(manager, 'on', 'toString', () => {})).rejects.toMatchObject(wrong);
    await expect(call(manager, 'on', 'state', 42)).rejects.toMatchObject(wrong);
  });

  it('an address with credentials is refused, and they are not shown', () => {
    const url = 'https://someone:hunter2@example.com/mcp';
    expect(() => parseServerConfig('one', { url })).toThrow('use `headers`');
    expect(() => parseServerConfig('one', { url: new URL(url) })).toThrow(/^(?!.*hunter2).*$/u);
  });

  it('a number is called a number', () => {
    const config = { command: 'x', env: { PORT: 3000 } };
    expect(() => parseServerConfig('one', config)).toThrow(/got a number$/u);
  });
});

describe('callbacks of the host that reject', () => {
  it('are the matter of the host: nothing is left unhandled', async () => {
    const unhandled: unknown[] = [];
    const note = (error: unknown): unknown => unhandled.push(error);
    process.on('unhandledRejection', note);
    const fail = async (): Promise<void> => await Promise.reject(new Error('scripted'));
    const hub = new EventHub<{ readonly event: number }>();
    hub.on('event', fail);
    hub.emit('event', 1);
    const manager = start();
    const failing = new Proxy(() => {}, { apply: fail });
    managers.push(manager);
    const other = start({ onClient: failing });
    other.add('one', lab({ text: 'x' }));
    await other.whenSettled();
    expect(other.status('one')?.state.state).toBe('connected');
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
  });
});
