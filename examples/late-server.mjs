// What a server that comes late adds to a request: a block of its own, after the tool results.
import { createInjector } from 'mcp-instructions';

const injector = createInjector();
injector.adopt('docs', { instructions: 'Call `search_docs` before you answer.' });
const conversation = injector.conversation();
const messages = [{ role: 'user', content: 'How do I rotate the key?' }];
const model = 'claude-sonnet-5';

const first = await conversation.prepare({ model, max_tokens: 1024, messages });
await first.commit();

messages.push(
  { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'search_docs', input: {} }] },
  { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'DOC-7 ...' }] },
);
injector.adopt('deploys', { instructions: 'Times are UTC.' });

const second = await conversation.prepare({ model, max_tokens: 1024, messages });
console.log('before', JSON.stringify(messages.at(-1), null, 2));
console.log('after', JSON.stringify(second.request.messages.at(-1), null, 2));
await injector.close();
