import { expect, it } from 'vitest';

import { LabHttp } from '../fixtures/servers/lab-http.js';
import { lab, livingProcesses, manage } from './support/lab.js';

function held(): { readonly resources: readonly string[]; readonly listeners: number } {
  const counted = new Set(['ProcessWrap', 'PipeWrap', 'Timeout', 'TCPSocketWrap', 'Immediate']);
  return {
    resources: process
      .getActiveResourcesInfo()
      .filter((name) => counted.has(name))
      .sort(),
    listeners: process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0),
  };
}

async function cycle(url: string): Promise<void> {
  const { manager } = manage();
  manager.add('process', lab({ text: 'x' }));
  manager.add('http', { url });
  await manager.whenSettled();
  expect(manager.client('process')).toBeDefined();
  expect(manager.client('http')).toBeDefined();
  await manager.close();
}

it('connecting and closing leaves no handle, no process and no listener', async () => {
  const server = await LabHttp.start({ text: 'x', eras: ['legacy'], sessionFault: { status: 404 } });
  // The first cycle loads what is loaded on demand, and fills the pool of sockets.
  await cycle(server.url);
  const before = held();
  for (let count = 0; count < 12; count += 1) await cycle(server.url);
  const after = held();
  expect(after.listeners).toBe(before.listeners);
  // The pool of sockets behind `fetch` breathes by a few; what leaks at each cycle shows as a dozen.
  expect(after.resources.length).toBeLessThan(before.resources.length + 6);
  expect(livingProcesses()).toEqual([]);
  await server.close();
});
