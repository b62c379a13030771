import { expect, test } from 'vitest';

import { startAdapterHost } from '../adapters/support/adapter-host.js';
import { Folder, lab } from './support/lab.js';

const ids = ({ connections }: ReturnType<typeof startAdapterHost>['injector']): readonly string[] =>
  connections.status().map(({ id }) => id);

test('a server that is disabled is not started, and the others are', async () => {
  using folder = new Folder();
  const off = folder.file('off');
  const on = folder.file('on');
  const servers = {
    off: { ...lab({ text: 'Off.', journal: off }), disabled: true, required: true },
    on: { ...lab({ text: 'On.', journal: on }), disabled: false },
  };
  const { injector, conversation } = startAdapterHost({ servers, firstTurnWaitMs: 60_000 });
  // A required server that is not there is not waited for.
  expect(await injector.ready()).toEqual({ settled: true, pending: [] });
  expect(ids(injector)).toEqual(['on']);
  expect(folder.journal('on')).not.toEqual([]);
  expect(() => folder.journal('off')).toThrow('ENOENT');
  const { report } = await conversation.prepare({ messages: [{ role: 'user', content: 'hi' }] });
  expect(report.servers.map(({ id }) => id)).toEqual(['on']);
});

test('a reload that disables a server ends it, and one that enables it starts it', async () => {
  const { injector } = startAdapterHost();
  const { connections } = injector;
  const docs = lab({ text: 'Docs.' });
  connections.set({ docs });
  await injector.ready();
  expect(connections.status('docs')?.state.state).toBe('connected');
  connections.set({ docs: { ...docs, disabled: true } });
  expect(ids(injector)).toEqual([]);
  connections.set({ docs: { ...docs, disabled: false } });
  await injector.ready();
  expect(connections.status('docs')?.state.state).toBe('connected');
});

test('add takes such a server as one that is not there', () => {
  const { injector } = startAdapterHost();
  const { connections } = injector;
  connections.add('docs', { command: 'x', disabled: true });
  expect(ids(injector)).toEqual([]);
  connections.add('docs', { url: 'http://127.0.0.1:9/' });
  expect(ids(injector)).toEqual(['docs']);
  connections.add('docs', { url: 'http://127.0.0.1:9/', disabled: true });
  expect(ids(injector)).toEqual([]);
});

test('what else it holds is not looked at: nobody gives values to a server that is not wanted', () => {
  const { injector, log } = startAdapterHost();
  injector.connections.set({ docs: { command: undefined, args: 5, arg: 1, disabled: true } as never });
  expect(ids(injector)).toEqual([]);
  expect(log).toEqual([]);
});

test('disabled is true or false: a word is not guessed at', () => {
  const { injector } = startAdapterHost();
  const config = { command: 'x', disabled: 'false' } as never;
  const expected = 'server "docs": `disabled`: expected true or false, got a string';
  expect(() => injector.connections.add('docs', config)).toThrow(expected);
  expect(() => injector.connections.set({ docs: config })).toThrow(expected);
  expect(() => startAdapterHost({ servers: { docs: config } })).toThrow(expected);
});
