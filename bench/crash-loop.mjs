// What a server that ends right after every handshake costs in real time: starts, states, and what a conversation is told. Run after
// `npm run build`:
//   node bench/crash-loop.mjs [seconds]
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { createInjector } from '../dist/index.js';

const seconds = Number(process.argv[2] ?? 60);
const folder = mkdtempSync(join(tmpdir(), 'crash-loop-'));
const journal = join(folder, 'journal');
const server = (script) => ({
  command: process.execPath,
  args: [fileURLToPath(new URL('../test/fixtures/servers/lab-stdio.mjs', import.meta.url))],
  env: { LAB: JSON.stringify(script) },
});
const injector = createInjector({
  servers: {
    // Long enough after the handshake to be connected first: the text is there, and goes.
    loops: server({ journal, text: 'I come and go.', exitAfterHandshakeMs: 200 }),
    stays: server({ text: 'I stay.' }),
  },
  logLevel: 'silent',
});
const begun = performance.now();
injector.connections.on('state', ({ id, state }) => {
  if (id === 'loops') console.log(`${((performance.now() - begun) / 1000).toFixed(1)} s  ${state.state}`);
});
await injector.ready();
const conversation = injector.conversation('chat');
const messages = [];
const deltas = [];
for (let turn = 0; (performance.now() - begun) / 1000 < seconds; turn += 1) {
  messages.push({ role: 'user', content: `question ${turn}` });
  const prepared = await conversation.prepare({ model: 'claude-opus-5-5', messages });
  await prepared.commit();
  for (const { id, change } of prepared.report.servers)
    if (change !== null) deltas.push(`turn ${turn}: ${id} ${change}`);
  messages.push({ role: 'assistant', content: 'answer' });
  await sleep(1_000);
}
const starts = readFileSync(journal, 'utf8')
  .split('\n')
  .filter((line) => line.includes('"start"')).length;
console.log(`starts in ${seconds} s: ${starts}`);
console.log(`state: ${injector.connections.status('loops').state.state}`);
console.log(`news in ${messages.length / 2} turns: ${deltas.join('; ')}`);
await injector.close();
rmSync(folder, { recursive: true, force: true });
