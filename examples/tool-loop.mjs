// A whole agent loop: the SDK's tool runner, the tools of two MCP servers, and their instructions.
import Anthropic from '@anthropic-ai/sdk';
import { mcpTools } from '@anthropic-ai/sdk/helpers/beta/mcp';
import { createInjector } from 'mcp-instructions';
import { withInstructions } from 'mcp-instructions/anthropic';

const injector = createInjector({
  servers: {
    docs: { command: 'node', args: ['docs-server.mjs'] },
    tickets: { url: process.env.TICKETS_URL, headers: { Authorization: 'Bearer example-token' } },
  },
  onReport: ({ turn, placed, tokens }) => {
    console.log(
      `[turn ${turn}: ${placed ? 'a new block' : 'no new block'}, ${tokens.total > 0 ? 'told' : 'untold'}]`,
    );
  },
});
const { settled, pending } = await injector.ready({ waitMs: 10_000 });
if (!settled) console.error('Still connecting:', pending);

// A reconnect makes a new client, so the tools are collected for each run.
const tools = [];
for (const { id } of injector.connections.status()) {
  const client = injector.connections.client(id);
  if (client !== undefined) tools.push(...mcpTools((await client.listTools()).tools, client));
}

const claude = withInstructions(new Anthropic(), injector.conversation('chat-42'));
const runner = claude.beta.messages.toolRunner({
  model: 'claude-sonnet-5',
  max_tokens: 1024,
  messages: [{ role: 'user', content: 'What does T-1042 ask for, and how is it done?' }],
  tools,
  thread: false, // Sends the whole history each time; server-held threads work too.
});
for await (const message of runner) {
  for (const block of message.content) {
    if (block.type === 'text') console.log(block.text);
    if (block.type === 'tool_use') console.log(`calls ${block.name}`);
  }
}
await injector.close();
