// The middleware, against the real types of ai 6 and 7. Compiled, never run.
import { generateText, ToolLoopAgent, wrapLanguageModel, type LanguageModelMiddleware } from 'ai';
import { wrapLanguageModel as wrapLanguageModel7 } from 'ai7';
import type { Conversation, Injector } from 'mcp-instructions';
import { forConversation, instructionsMiddleware } from 'mcp-instructions/ai-sdk';

declare const conversation: Conversation;
declare const injector: Injector;
declare const model: Parameters<typeof wrapLanguageModel>[0]['model'];
declare const model7: Parameters<typeof wrapLanguageModel7>[0]['model'];

/** The SDK's own kind of middleware, with nothing asserted. */
export const own: LanguageModelMiddleware = instructionsMiddleware(conversation);

/** Alone, and in a list. */
const wrapped = wrapLanguageModel({ model, middleware: instructionsMiddleware(conversation) });
wrapLanguageModel({ model, middleware: [own, instructionsMiddleware()] });
wrapLanguageModel({ model, middleware: instructionsMiddleware(conversation, { afterTools: 'hold' }) });

/** The same object for ai 7. */
wrapLanguageModel7({ model: model7, middleware: instructionsMiddleware(conversation) });
wrapLanguageModel7({ model: model7, middleware: [instructionsMiddleware()] });

/** A conversation for one call, beside a provider's options. */
await generateText({
  model: wrapped,
  prompt: 'hi',
  providerOptions: { ...forConversation(conversation), openai: { store: false } },
});
await new ToolLoopAgent({ model: wrapped, providerOptions: forConversation(conversation) }).generate({
  prompt: 'hi',
});

// @ts-expect-error a conversation is needed
instructionsMiddleware(injector);
// @ts-expect-error there is no such place
instructionsMiddleware(conversation, { afterTools: 'before' });
