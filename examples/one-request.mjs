// One request before and after, without a server or a model: `prepare()` by hand.
import { createInjector } from 'mcp-instructions';

const injector = createInjector();
injector.adopt('docs', { instructions: 'Call `search_docs` before you answer.' });

const request = {
  model: 'claude-sonnet-5',
  max_tokens: 1024,
  messages: [{ role: 'user', content: 'Our signing key expires on Friday. What should I do?' }],
};
const prepared = await injector.conversation().prepare(request);

console.log('before', JSON.stringify(request.messages, null, 2));
console.log('after', JSON.stringify(prepared.request.messages, null, 2));
await injector.close();
