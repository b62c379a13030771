// The example of the documentation, against the types of the published package and of the real SDK. Compiled, never run.
import Anthropic from '@anthropic-ai/sdk';
import { createInjector, type Report } from 'mcp-instructions';
import { withInstructions } from 'mcp-instructions/anthropic';

declare const existingClient: { getInstructions(): string | undefined };
declare const model: string;
declare const messages: Anthropic.MessageParam[];

const injector = createInjector({
  servers: {
    docs: { command: 'node', args: ['docs-server.js'] },
    tickets: { url: 'https://example.com/mcp', headers: { Authorization: 'Bearer …' } },
  },
});
injector.adopt('search', existingClient);
const conversation = injector.conversation('chat-42');
const claude = withInstructions(new Anthropic(), conversation);
const reply = await claude.messages.create({ model, max_tokens: 1024, messages });
void reply;
const report: Report | undefined = conversation.lastReport;
await injector.close();

export type { report };
