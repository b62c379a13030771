// A main agent and a sub-agent. Each is told about the servers whose tools it can call, and about no others.
import Anthropic from '@anthropic-ai/sdk';
import { createInjector } from 'mcp-instructions';
import { withInstructions } from 'mcp-instructions/anthropic';

const anthropic = new Anthropic();
const injector = createInjector({
  servers: {
    docs: { command: 'node', args: ['docs-server.mjs'] },
    tickets: { url: process.env.TICKETS_URL, headers: { Authorization: 'Bearer example-token' } },
  },
});
await injector.ready({ waitMs: 10_000 });

async function ask(conversation, content) {
  const claude = withInstructions(anthropic, conversation);
  const messages = [{ role: 'user', content }];
  const reply = await claude.messages.create({ model: 'claude-sonnet-5', max_tokens: 1024, messages });
  const told = conversation.lastReport.servers.filter(({ outcome }) => outcome === 'told');
  console.log(`${conversation.id} was told of ${told.map(({ id }) => id).join(' and ')}`);
  return reply.content.map((block) => block.text).join('');
}

const found = await ask(
  injector.conversation('chat-42/search-1', { servers: ['docs'] }),
  'Find the page about signing keys.',
);
console.log(await ask(injector.conversation('chat-42'), `Write a ticket. What is known: ${found}`));
await injector.close();
