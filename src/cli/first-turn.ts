import type { Report } from '../cost/report.js';
import type { Injector } from '../injector.js';
import type { MessagesRequest } from '../formats/anthropic-messages.js';

/** What a first turn would carry. */
export interface FirstTurn {
  readonly report: Report;
  /** The block, byte for byte; `undefined` when there is none. */
  readonly block: string | undefined;
}

/** Any model that counts as Claude 4.7 and later do; the figures are theirs. */
const MODEL = 'claude-sonnet-5';
const REQUEST: MessagesRequest = { model: MODEL, messages: [{ role: 'user', content: 'Hello' }] };
/** How often, and how many ms apart, it is looked whether the texts are counted. */
const LOOKS = 250;
const LOOK_EVERY_MS = 20;

/**
 * Plans the first turn of a new conversation, after the texts are counted: a plan made earlier would have rough figures. Nothing is recorded.
 *
 * @param injector whose servers have settled
 */
export async function firstTurn(injector: Injector): Promise<FirstTurn> {
  const conversation = injector.conversation();
  for (let look = 1; ; look += 1) {
    const { request, report } = await conversation.prepare(REQUEST, { record: false });
    if (report.tokens.method !== 'rough' || look === LOOKS) return { report, block: blockOf(request) };
    await new Promise((resolve) => {
      setTimeout(resolve, LOOK_EVERY_MS);
    });
  }
}

/** The block goes before the prompt, and a string becomes an array only to take one. */
function blockOf(request: MessagesRequest): string | undefined {
  const content = request.messages[0]?.content;
  if (content === undefined || typeof content === 'string') return undefined;
  const first: unknown = Reflect.get(content[0] ?? {}, 'text');
  return typeof first === 'string' ? first : undefined;
}
