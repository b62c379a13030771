// A function that may run anywhere, on any machine, and keeps nothing: the ledger travels with the chat.
import OpenAI from 'openai';
import { createInjector } from 'mcp-instructions';
import { prepareChat } from 'mcp-instructions/openai';

const openai = new OpenAI();

export async function handler({ chat, text, ledger, messages = [] }) {
  const injector = createInjector({ firstTurnWaitMs: 2000 });
  try {
    injector.adopt('handbook', { instructions: 'Page ids look like DOC-7.' });
    const conversation = injector.conversation(chat, ledger === undefined ? {} : { ledger });
    const history = [...messages, { role: 'user', content: text }];
    const prepared = await prepareChat(conversation, { model: 'gpt-5', messages: history });
    const { choices, usage } = await openai.chat.completions.create(prepared.request);
    await prepared.commit({ usage });
    const { reason } = prepared.report;
    return { messages: [...history, choices[0].message], ledger: conversation.toJSON(), reason };
  } finally {
    await injector.close();
  }
}

// Two calls, with nothing in common but what a database would keep.
const first = await handler({ chat: 'chat-42', text: 'Where is it written?' });
const kept = JSON.parse(JSON.stringify(first));
const second = await handler({
  chat: 'chat-42',
  text: 'Thanks.',
  ledger: kept.ledger,
  messages: kept.messages,
});
console.log(first.reason, second.reason);
