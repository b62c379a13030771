import type { RequestFormat } from '../formats/request-format.js';
import { createInjector, type Conversation, type Injector } from '../injector.js';
import type { Told } from './script.js';

const silent = (): void => undefined;
const logger = { debug: silent, info: silent, warn: silent, error: silent };

/** Uses an injector of its own, without a word in any log. */
export async function withInjector(use: (injector: Injector) => Promise<void>): Promise<void> {
  const injector = createInjector({ logger, firstTurnWaitMs: 0 });
  try {
    await use(injector);
  } finally {
    await injector.close();
  }
}

/** Adopts what a step of a script wants to be there, and takes out the rest. */
export async function provide(injector: Injector, told: Told, before: Told): Promise<void> {
  for (const id of Object.keys(before)) if (!(id in told)) await injector.remove(id);
  for (const [id, instructions] of Object.entries(told)) injector.adopt(id, { instructions });
}

/** Prepares requests of a format, each as one that was delivered. */
export function prepareWith<Request>(
  format: RequestFormat<Request>,
): (conversation: Conversation, request: Request) => Promise<Request> {
  return async (conversation, request) => {
    const prepared = await conversation.prepare(request, { format });
    await prepared.commit();
    return prepared.request;
  };
}
