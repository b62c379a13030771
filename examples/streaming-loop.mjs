// An agent loop by hand on the Anthropic SDK: the answer is printed as it comes, tools are called by the host.
import Anthropic from '@anthropic-ai/sdk';
import { createInjector } from 'mcp-instructions';
import { withInstructions } from 'mcp-instructions/anthropic';

const injector = createInjector({
  servers: { docs: { command: 'node', args: ['docs-server.mjs'] } },
});
await injector.ready({ waitMs: 10_000 });
const docs = injector.connections.client('docs');
const tools = (await docs.listTools()).tools.map(({ name, description, inputSchema }) => ({
  name,
  description,
  input_schema: inputSchema,
}));

// #region loop
const claude = withInstructions(new Anthropic(), injector.conversation('chat-42'));
const messages = [{ role: 'user', content: 'Our signing key expires on Friday. What should I do?' }];
for (;;) {
  const stream = claude.messages.stream({ model: 'claude-sonnet-5', max_tokens: 1024, messages, tools });
  stream.on('text', (text) => process.stdout.write(text));
  const message = await stream.finalMessage();
  messages.push({ role: 'assistant', content: message.content });
  if (message.stop_reason !== 'tool_use') break;

  const calls = message.content.filter(({ type }) => type === 'tool_use');
  const results = await Promise.all(
    calls.map(async ({ id, name, input }) => {
      const { content, isError = false } = await docs.callTool({ name, arguments: input });
      return {
        type: 'tool_result',
        tool_use_id: id,
        content: JSON.stringify(content),
        is_error: isError,
      };
    }),
  );
  messages.push({ role: 'user', content: results });
}
// #endregion
console.log();
// What the host keeps holds none of it.
console.log(JSON.stringify(messages).includes('system-reminder') ? 'kept' : 'not kept');
await injector.close();
