// A format for an API of one's own, and the checks that it must pass.
import { createInjector, defineFormat } from 'mcp-instructions';
import { requestFormatContract } from 'mcp-instructions/testing';

// #region format
const textOf = (content) =>
  typeof content === 'string' ? content : (content ?? []).map((part) => part.text ?? '').join('');

const format = defineFormat({
  name: 'lab-chat',
  accepts: (request) => Array.isArray(request?.messages) && request.messages.length > 0,
  messages: (request) => request.messages,
  withMessages: (request, messages) => ({ ...request, messages }),
  role: ({ role }) => (['user', 'assistant', 'tool'].includes(role) ? role : 'other'),
  parts: ({ content }) => (typeof content === 'string' ? [{ type: 'text', text: content }] : content),
  withParts: (message, content) => ({ ...message, content }),
  userMessage: (content) => ({ role: 'user', content }),
  textPart: (text) => ({ type: 'text', text }),
  textOf: (part) => (part.type === 'text' ? part.text : undefined),
  results: (message) => [message.tool_call_id],
  answer: ({ content, tool_calls: calls = [] }) => ({
    text: textOf(content),
    calls: calls.map(({ id }) => id),
    textOnly: calls.length === 0,
  }),
});
// #endregion

// #region contract
const toMessages = (turn) => {
  if (turn.role === 'user') return [{ role: 'user', content: turn.text }];
  if (turn.role === 'tools')
    return turn.results.map(({ id, text }) => ({ role: 'tool', tool_call_id: id, content: text }));
  return [{ role: 'assistant', content: turn.text, tool_calls: turn.calls.map((id) => ({ id })) }];
};
const checks = requestFormatContract({
  format: () => format,
  request: (history) => ({ messages: history.flatMap(toMessages) }),
  messages: (request) => request.messages,
});
for (const check of checks) {
  await check.run();
  console.log(`ok: ${check.name}`);
}
// #endregion

const injector = createInjector();
injector.adopt('docs', { instructions: 'Quote the page id of what you use.' });
const request = { messages: [{ role: 'user', content: 'Hi' }] };
const { report } = await injector.conversation().prepare(request, { format });
console.log(report.reason);
await injector.close();
