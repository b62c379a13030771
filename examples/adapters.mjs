// The ways to get instructions into a request; docs/adapters.md shows the regions.
import Anthropic from '@anthropic-ai/sdk';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { createInjector } from 'mcp-instructions';
import { withInstructions } from 'mcp-instructions/anthropic';

const anthropic = new Anthropic();
const injector = createInjector();
const body = {
  model: 'claude-sonnet-5',
  max_tokens: 1024,
  messages: [{ role: 'user', content: 'Our signing key expires on Friday. What should I do?' }],
};

// #region adopt
const existingClient = new Client({ name: 'host', version: '1.0.0' });
await existingClient.connect(new StdioClientTransport({ command: 'node', args: ['docs-server.mjs'] }));

injector.adopt('docs', existingClient);
// #endregion
// #region adopt-other
injector.adopt('handbook', { instructions: 'Page ids look like DOC-7.' });
injector.adopt('search', () => ({ instructions: 'Quote what you find.' }));
await injector.remove('search');
// #endregion

// #region client
const conversation = injector.conversation('chat-42');
const claude = withInstructions(anthropic, conversation);

await claude.messages.create(body);
const stream = claude.messages.stream(body);
await stream.finalMessage();
// #endregion
console.log('client', conversation.lastReport.reason);

// #region request
const other = injector.conversation('chat-43');
await anthropic.messages.create(body, { middleware: [other.middleware()] });
// #endregion
console.log('request', other.lastReport.reason);

// #region audience
const subAgent = injector.conversation('chat-42/search', { servers: ['docs'] });
await withInstructions(anthropic, subAgent).messages.create(body);
// #endregion
console.log('audience', subAgent.lastReport.servers.map(({ id, outcome }) => `${id} ${outcome}`).join(', '));

// #region prepare
const byHand = injector.conversation('chat-44');
const prepared = await byHand.prepare(body);
try {
  const message = await anthropic.messages.create(prepared.request);
  await prepared.commit({ usage: message.usage, message });
} catch (error) {
  prepared.discard();
  throw error;
}
// #endregion
console.log('prepare', prepared.report.reason);

// #region strip
const shown = byHand.strip(prepared.request.messages);
// #endregion
console.log('strip', JSON.stringify(shown));

await existingClient.close();
await injector.close();
