// A service with one conversation for each user, on as many machines as you like: what was told is in Redis.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import Anthropic from '@anthropic-ai/sdk';
import KeyvRedis from '@keyv/redis';
import { Keyv } from 'keyv';
import { createInjector } from 'mcp-instructions';
import { withInstructions } from 'mcp-instructions/anthropic';

const { REDIS_URL } = process.env;
const storage = (namespace) =>
  REDIS_URL === undefined
    ? new Keyv({ namespace })
    : new Keyv({ store: new KeyvRedis(REDIS_URL), namespace, throwOnErrors: true });
const [ledgers, histories] = [storage('ledgers'), storage('histories')];
const anthropic = new Anthropic();
// One injector for each set of credentials; here every user has the same.
const injector = createInjector({
  store: ledgers,
  servers: { docs: { command: 'node', args: ['docs-server.mjs'] } },
});

async function answer({ user, text }) {
  const messages = (await histories.get(user)) ?? [];
  messages.push({ role: 'user', content: text });
  const conversation = injector.conversation(`user-${user}`);
  const claude = withInstructions(anthropic, conversation);
  const body = { model: 'claude-sonnet-5', max_tokens: 1024, messages };
  const { role, content } = await claude.messages.create(body);
  await histories.set(user, [...messages, { role, content }]);
  return { user, content, reason: conversation.lastReport.reason };
}

const server = createServer((request, response) => {
  json(request)
    .then(answer)
    .then((said) => response.end(JSON.stringify(said)))
    .catch(() => response.writeHead(500).end());
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));

await once(process, 'SIGTERM');
server.close();
await injector.close();
await Promise.all([ledgers.disconnect(), histories.disconnect()]);
process.exit();
