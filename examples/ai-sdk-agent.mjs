// An agent on the Vercel AI SDK. Any provider will do.
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { jsonSchema, ToolLoopAgent, tool, wrapLanguageModel } from 'ai';
import { createInjector } from 'mcp-instructions';
import { forConversation, instructionsMiddleware } from 'mcp-instructions/ai-sdk';

const injector = createInjector({
  servers: { docs: { command: 'node', args: ['docs-server.mjs'] } },
});
await injector.ready({ waitMs: 10_000 });
const docs = injector.connections.client('docs');
const listed = await docs.listTools();
const tools = Object.fromEntries(
  listed.tools.map(({ name, description, inputSchema }) => [
    name,
    tool({
      description,
      inputSchema: jsonSchema(inputSchema),
      execute: async (input) => (await docs.callTool({ name, arguments: input })).content,
    }),
  ]),
);
const provider = createOpenAICompatible({ name: 'lab', baseURL: process.env.OPENAI_BASE_URL });

// #region model
const conversation = injector.conversation('chat-42');
const model = wrapLanguageModel({
  model: provider('gpt-5'),
  middleware: instructionsMiddleware(conversation),
});
// #endregion

const agent = new ToolLoopAgent({ model, tools });
const { text, steps } = await agent.generate({
  prompt: 'Our signing key expires on Friday. What should I do?',
});
console.log(`${steps.length} steps: ${text}`);
console.log(conversation.lastReport.servers.map(({ id, outcome }) => `${id}: ${outcome}`).join('\n'));

// #region per-call
const shared = wrapLanguageModel({ model: provider('gpt-5'), middleware: instructionsMiddleware() });
const perCall = new ToolLoopAgent({
  model: shared,
  providerOptions: forConversation(injector.conversation('chat-43')),
});
// #endregion
console.log((await perCall.generate({ prompt: 'Thanks.' })).text);
await injector.close();
