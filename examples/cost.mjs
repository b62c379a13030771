// What instructions cost; docs/cost.md shows the regions and what this prints.
import { setTimeout } from 'node:timers/promises';
import { createInjector, formatReportLine, formatReportTable } from 'mcp-instructions';

const injector = createInjector();
injector.adopt('docs', {
  instructions: 'Search the handbook before you answer, and give the page id of what you use.',
});
injector.adopt('tickets', {
  instructions: '# Tickets\nRead a ticket before you change it.\nNever close one.',
});
const conversation = injector.conversation('chat-42');
const messages = [{ role: 'user', content: 'Our signing key expires on Friday. What should I do?' }];

const first = await conversation.prepare({ model: 'claude-sonnet-5', max_tokens: 1024, messages });
console.log(`turn 1: ${first.report.tokens.total} tokens, ${first.report.tokens.method}`);

// The rank table loads meanwhile.
for (let method = 'rough'; method === 'rough'; await setTimeout(50)) {
  const look = await conversation.prepare(
    { model: 'claude-sonnet-5', max_tokens: 1024, messages },
    { record: false },
  );
  method = look.report.tokens.method;
}
messages.push({ role: 'assistant', content: 'Rotate it.' }, { role: 'user', content: 'How?' });

// #region report
const prepared = await conversation.prepare({ model: 'claude-sonnet-5', max_tokens: 1024, messages });
console.log(formatReportLine(prepared.report));
// … send prepared.request; the answer has `usage` …
await prepared.commit({ usage: { input_tokens: 40, cache_read_input_tokens: 1_200 } });
console.log(formatReportTable(conversation.lastReport));
// #endregion
await injector.close();
