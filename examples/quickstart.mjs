import Anthropic from '@anthropic-ai/sdk';
import { createInjector } from 'mcp-instructions';
import { withInstructions } from 'mcp-instructions/anthropic';

const injector = createInjector({
  servers: {
    docs: { command: 'node', args: ['docs-server.mjs'] },
    tickets: { url: process.env.TICKETS_URL, headers: { Authorization: 'Bearer example-token' } },
  },
});
const conversation = injector.conversation('chat-42');
const claude = withInstructions(new Anthropic(), conversation);

const reply = await claude.messages.create({
  model: 'claude-sonnet-5',
  max_tokens: 1024,
  messages: [{ role: 'user', content: 'Our signing key expires on Friday. What should I do?' }],
});

for (const block of reply.content) if (block.type === 'text') console.log(block.text);
for (const { id, outcome, chars } of conversation.lastReport?.servers ?? []) {
  console.log(`${id}: ${outcome}, ${chars} characters`);
}
await injector.close();
