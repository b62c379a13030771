import { expect, it, onTestFinished } from 'vitest';

import { LabHttp } from '../fixtures/servers/lab-http.js';
import { lab, livingProcesses, reach } from '../servers/support/lab.js';
import { ManualClock } from '../servers/support/manual-clock.js';
import { startHost } from '../support/host.js';

it('refreshMs: a server over HTTP is asked again, as often as that', async () => {
  const server = await LabHttp.start({ text: 'text', numbered: true });
  onTestFinished(() => server.close());
  const clock = new ManualClock();
  const { injector } = await startHost({ clock, refreshMs: 60_000, servers: { one: { url: server.url } } });
  await injector.ready();
  for (const count of [2, 3]) {
    const told = new Promise<unknown>((resolve) => {
      const off = injector.connections.on('instructions', ({ record }) => {
        off();
        resolve(record.value);
      });
    });
    await expect.poll(() => clock.nextMs).toBeLessThanOrEqual(60_000);
    clock.advance(60_000);
    expect(await told).toBe(`text ${count}`);
  }
});

it('maxParallel: no more start at a time, and a slow one gives its place away', async () => {
  const clock = new ManualClock();
  const { injector } = await startHost({
    clock,
    maxParallel: 1,
    servers: { silent: lab({ discover: 'hang', initialize: 'hang' }), next: lab({ text: 'x' }) },
  });
  await reach(injector.connections, 'silent', 'connecting');
  await expect.poll(() => livingProcesses()).toHaveLength(1);
  expect(injector.connections.status('next')?.state.state).toBe('idle');
  const connected = reach(injector.connections, 'next', 'connected');
  clock.advance(1_000);
  await connected;
});
