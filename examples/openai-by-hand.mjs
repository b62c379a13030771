// The Responses API without a client's option, and an endpoint that refuses a user message after a tool's.
import OpenAI from 'openai';
import { createInjector } from 'mcp-instructions';
import { chatFormat, prepareChat, prepareResponses } from 'mcp-instructions/openai';

const openai = new OpenAI();
const injector = createInjector();
injector.adopt('docs', { instructions: 'Quote the page id of what you use.' });

// #region responses
const conversation = injector.conversation('chat-43');
const prepared = await prepareResponses(conversation, { model: 'gpt-5', input: 'What expires on Friday?' });
const response = await openai.responses.create(prepared.request);
await prepared.commit({ usage: response.usage, message: response });

// The API keeps the history: only news is added.
const next = await prepareResponses(conversation, {
  model: 'gpt-5',
  input: 'And after that?',
  previous_response_id: response.id,
});
// #endregion
console.log(prepared.report.reason, next.report.reason);

// #region hold
const strict = injector.conversation('chat-44');
const held = await prepareChat(
  strict,
  { model: 'mistral-large', messages: [{ role: 'user', content: 'Hi' }] },
  {
    afterTools: 'hold',
  },
);
// #endregion
console.log(held.report.reason);

// #region strip
const shown = strict.stripRequest({ messages: held.request.messages }, chatFormat());
// #endregion
console.log(JSON.stringify(shown.messages));
await injector.close();
