import type { Conversation } from '../injector.js';
import { type AnthropicClient, checkClient } from './anthropic/client.js';
import { checkConversation } from './shared/check-arguments.js';

export type { AnthropicClient } from './anthropic/client.js';

/**
 * A client whose requests carry what the conversation must know. The client that was passed in stays as it is: use
 * it for side calls, such as titles and summaries.
 *
 * @param client a client of `@anthropic-ai/sdk`, 0.101 or later
 * @param conversation whose requests they are
 * @returns a new client of the same type
 * @throws InstructionsError `INVALID_OPTION` when one of the two is something else, such as a client of an older SDK
 */
export function withInstructions<Client extends AnthropicClient>(
  client: Client,
  conversation: Pick<Conversation, 'middleware'>,
): Client {
  checkClient(client);
  checkConversation('withInstructions', conversation, 'middleware');
  // Last, so that it sees the body as the host's own middleware left it.
  const middleware = [...client.middleware, conversation.middleware()];
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- by shape: the SDK checks both at its own call
  return client.withOptions({ middleware: middleware as never[] }) as Client;
}
