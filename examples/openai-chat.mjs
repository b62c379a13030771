// A chat loop on OpenAI's client, with tools called by hand.
import OpenAI from 'openai';
import { createInjector } from 'mcp-instructions';
import { withInstructionsFetch } from 'mcp-instructions/openai';

const injector = createInjector({
  servers: { docs: { command: 'node', args: ['docs-server.mjs'] } },
});
await injector.ready({ waitMs: 10_000 });
const docs = injector.connections.client('docs');
const { tools } = await docs.listTools();

// #region client
const conversation = injector.conversation('chat-42');
const openai = new OpenAI({ fetch: withInstructionsFetch(conversation) });
// #endregion

const messages = [{ role: 'user', content: 'Our signing key expires on Friday. What should I do?' }];
for (;;) {
  const completion = await openai.chat.completions.create({
    model: 'gpt-5',
    messages,
    tools: tools.map(({ name, description, inputSchema }) => ({
      type: 'function',
      function: { name, description, parameters: inputSchema },
    })),
  });
  const [{ message }] = completion.choices;
  messages.push(message);
  if (message.tool_calls === undefined) break;
  for (const { id, function: called } of message.tool_calls) {
    console.log(`calls ${called.name}`);
    const { content } = await docs.callTool({ name: called.name, arguments: JSON.parse(called.arguments) });
    messages.push({ role: 'tool', tool_call_id: id, content: JSON.stringify(content) });
  }
}
console.log(messages.at(-1).content);
// What the host keeps holds none of it.
console.log(JSON.stringify(messages).includes('system-reminder') ? 'kept' : 'not kept');
await injector.close();
