import type Anthropic from '@anthropic-ai/sdk';

import { withInstructions } from '../../adapters/anthropic.js';
import type { Terminal } from '../terminal.js';
import { printRequest } from './print-request.js';
import { prompts } from './script.js';
import { LATE, type Stage } from './stage.js';

type Message = Anthropic.MessageParam;

/** A host's side of a conversation: it keeps its own messages and knows nothing of blocks. */
class Host {
  readonly messages: Message[] = [];
  readonly #claude: Anthropic;
  readonly #stage: Stage;
  readonly #terminal: Terminal;
  readonly #conversation: ReturnType<Stage['injector']['conversation']>;

  constructor(claude: Anthropic, stage: Stage, terminal: Terminal) {
    this.#conversation = stage.injector.conversation('demo');
    this.#claude = withInstructions(claude, this.#conversation);
    this.#stage = stage;
    this.#terminal = terminal;
  }

  /** Sends everything so far and a new user message; prints what went over the wire. */
  async send(title: string, content: Message['content']): Promise<Anthropic.Message> {
    this.messages.push({ role: 'user', content });
    const reply = await this.#claude.messages.create({
      model: 'claude-sonnet-5',
      max_tokens: 1024,
      messages: this.messages,
      tools: await toolsOf(this.#stage),
    });
    this.messages.push({ role: 'assistant', content: reply.content });
    const { requests } = this.#stage.endpoint;
    const report = this.#conversation.lastReport;
    this.#terminal.out('');
    this.#terminal.out(this.#terminal.paint('cyan', `Request ${requests.length}: ${title}`));
    if (report !== undefined) printRequest(this.#terminal, requests.at(-1)?.body.messages.at(-1), report);
    this.#terminal.out(`  Answer: ${answerLine(reply)}`);
    return reply;
  }
}

/** The tools of the servers that are connected now. */
async function toolsOf({ injector: { connections } }: Stage): Promise<Anthropic.Tool[]> {
  const clients = connections.status().map(({ id }) => connections.client(id));
  const lists = await Promise.all(clients.map(async (client) => await client?.listTools()));
  return lists.flatMap((list) =>
    (list?.tools ?? []).map(({ name, description = '' }) => ({
      name,
      description,
      input_schema: { type: 'object' as const },
    })),
  );
}

function answerLine({ content }: Anthropic.Message): string {
  return content
    .map((block) => {
      if (block.type === 'text') return block.text;
      return block.type === 'tool_use' ? `calls ${block.name}(${JSON.stringify(block.input)})` : block.type;
    })
    .join(' ');
}

/**
 * Holds the conversation.
 *
 * @param claude a client of the stage's endpoint
 * @param stage what it runs on
 * @param terminal where each request is shown
 * @returns the messages as the host kept them
 */
export async function converse(
  claude: Anthropic,
  stage: Stage,
  terminal: Terminal,
): Promise<readonly Message[]> {
  const host = new Host(claude, stage, terminal);
  await host.send('the first turn tells what the connected servers say', prompts.first);
  const asked = await host.send('nothing is new, so nothing is added', prompts.second);

  const call = asked.content.find((block) => block.type === 'tool_use');
  if (call === undefined) throw new Error('the endpoint did not ask for a tool');
  const result = await stage.injector.connections
    .client('docs')
    ?.callTool({ name: call.name, arguments: {} });
  stage.releaseLate();
  await stage.connected(LATE);
  const text = result?.content.map((part) => (part.type === 'text' ? part.text : part.type)).join('\n') ?? '';
  await host.send(`${LATE} is connected by now, and is told after the tool result`, [
    { type: 'tool_result', tool_use_id: call.id, content: text },
  ]);

  await stage.injector.remove('tickets');
  await host.send('the host removed tickets, so its instructions are withdrawn', prompts.third);
  return host.messages;
}
