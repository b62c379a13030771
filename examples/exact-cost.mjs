// Exact counts from the API; docs/cost.md shows the region.
import { setTimeout } from 'node:timers/promises';
import Anthropic from '@anthropic-ai/sdk';
import { createInjector } from 'mcp-instructions';
import { withInstructions } from 'mcp-instructions/anthropic';

// #region exact
const anthropic = new Anthropic();
const injector = createInjector({ countWith: anthropic });
const conversation = injector.conversation('chat-42');
const claude = withInstructions(anthropic, conversation);
// #endregion
injector.adopt('docs', { instructions: 'Search the handbook before you answer.' });
const body = {
  model: 'claude-sonnet-5',
  max_tokens: 1024,
  messages: [{ role: 'user', content: 'Our signing key expires on Friday. What should I do?' }],
};

await claude.messages.create(body);
const { method, notCounted } = conversation.lastReport.tokens;
console.log(`first request: ${method}, exact count ${notCounted}`);

// The count runs beside the requests; in a chat it is there by the next turn.
for (let round = 0; round < 40 && conversation.lastReport.tokens.method !== 'counted'; round++) {
  await setTimeout(50);
  await claude.messages.create(body);
}
console.log(`later: ${conversation.lastReport.tokens.method}`);
await injector.close();
