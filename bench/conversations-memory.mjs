// Heap that a conversation holds: many conversations, every server's text told, each in its own history.
// Usage: npm run build && node --expose-gc bench/conversations-memory.mjs [conversations] [servers] [turns]
import { createInjector } from '../dist/index.js';

const [conversations = 10_000, servers = 50, turns = 20] = process.argv.slice(2).map(Number);
if (globalThis.gc === undefined) {
  console.error('start it with node --expose-gc');
  process.exit(2);
}

/** Lets what runs beside requests end, then measures what is still held. */
async function heap() {
  for (let round = 0; round < 4; round += 1) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    globalThis.gc();
  }
  return process.memoryUsage().heapUsed;
}

async function talk(conversation, number) {
  const messages = [];
  for (let turn = 1; turn <= turns; turn += 1) {
    messages.push({ role: 'user', content: `conversation ${number}, question ${turn}` });
    const prepared = await conversation.prepare({ model: 'claude-opus-5-5', messages: [...messages] });
    await prepared.commit();
    messages.push({ role: 'assistant', content: `answer ${turn}` });
  }
}

const injector = createInjector({ logLevel: 'silent' });
for (let server = 0; server < servers; server += 1) {
  injector.adopt(`server-${server}`, { instructions: `Text of server ${server}. `.repeat(80) });
}
// What every conversation shares, and memos that are full from then on, are there before the first measurement.
for (let number = 0; number < 300; number += 1) await talk(injector.conversation(`warm-${number}`), number);
const before = await heap();
let handles = [];
for (let number = 0; number < conversations; number += 1) {
  const conversation = injector.conversation(`chat-${number}`);
  handles.push(conversation);
  await talk(conversation, number);
}
const withHandles = await heap();
const saved = JSON.stringify(handles[0]).length;
handles = [];
const after = await heap();
const each = (bytes) => `${(bytes / conversations).toFixed(0)} bytes a conversation`;
console.log(`${conversations} conversations, ${servers} servers, ${turns} turns`);
console.log(`held by the injector:                     ${each(after - before)}`);
console.log(`with every handle and its report kept:    ${each(withHandles - before)}`);
console.log(`saved as JSON, each block's text included: ${saved} units`);
await injector.close();
