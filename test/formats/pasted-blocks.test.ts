import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { promptFormat } from '../../src/formats/ai-sdk-prompt.js';
import { AnthropicMessages } from '../../src/formats/anthropic-messages.js';
import { chatFormat } from '../../src/formats/openai-chat.js';
import type { RequestFormat } from '../../src/formats/request-format.js';
import { responsesFormat } from '../../src/formats/openai-responses.js';
import { createInjector } from '../../src/index.js';
import type { Conversation } from '../../src/injector.js';
import { render } from '../../src/render/render.js';
import { keepLog } from '../support/host.js';

const NOW = render({ added: [{ id: 'lab', text: 'LAB' }] })!;
const OLD = render({ added: [{ id: 'lab', text: 'before' }] })!;
const GONE = render({ removed: ['lab'] })!;

interface Part {
  readonly type: string;
  readonly text?: string;
  readonly tool_use_id?: string;
}
interface Message {
  readonly role: string;
  readonly content: string | readonly Part[];
}

/** A conversation that knows nothing but one server. */
function begin(): Conversation {
  const injector = createInjector({ logger: keepLog().logger });
  injector.adopt('lab', { instructions: 'LAB' });
  return injector.conversation();
}

const texts = fc.constantFrom(NOW, OLD, GONE, '', 'hello');

interface Subject {
  readonly name: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- requests of any API
  readonly format: RequestFormat<any>;
  readonly key: 'messages' | 'prompt' | 'input';
  readonly type: string;
  /** Parts that a block of ours follows. */
  readonly before: readonly Part[];
}
const subjects: readonly Subject[] = [
  {
    name: 'the Messages API',
    format: new AnthropicMessages(),
    key: 'messages',
    type: 'text',
    before: [{ type: 'tool_result', tool_use_id: 'a' }],
  },
  { name: 'Chat Completions', format: chatFormat(), key: 'messages', type: 'text', before: [] },
  { name: 'Responses', format: responsesFormat(), key: 'input', type: 'input_text', before: [] },
  { name: 'a prompt of the AI SDK', format: promptFormat(), key: 'prompt', type: 'text', before: [] },
];

describe.each(subjects)('blocks that a user pasted: $name', ({ format, key, type, before }) => {
  const message = fc
    .tuple(fc.boolean(), fc.array(texts, { minLength: 1, maxLength: 5 }))
    .map(([follows, held]): Message => ({
      role: 'user',
      content: [...(follows ? before : []), ...held.map((text) => ({ type, text }))],
    }));
  const prepare = async (
    conversation: Conversation,
    messages: readonly Message[],
  ): Promise<readonly Message[]> => {
    const { request } = await conversation.prepare<Record<string, readonly Message[]>>(
      { [key]: messages },
      { format },
    );
    return request[key] ?? [];
  };

  it('add nothing to a message that the host stores as it was prepared', async () => {
    await fc.assert(
      fc.asyncProperty(message, async (one) => {
        const conversation = begin();
        const once = await prepare(conversation, [one]);
        expect(await prepare(conversation, once)).toEqual(once);
        // A host without a ledger, too.
        expect(await prepare(begin(), once)).toEqual(once);
        const answered = [...once, { role: 'assistant', content: [{ type: 'text', text: 'ok' }] }, one];
        const twice = await prepare(conversation, answered);
        expect(twice.slice(0, -1)).toEqual(answered.slice(0, -1));
        expect(await prepare(conversation, twice)).toEqual(twice);
        expect(await prepare(begin(), twice)).toEqual(twice);
      }),
      { numRuns: 150 },
    );
  });

  it.each([[[NOW]], [[OLD]], [[NOW, '']], [['', NOW]]])(
    'are the host’s where a message holds nothing else: %#',
    async (held) => {
      const content = held.map((text) => ({ type, text }));
      const one: Message = { role: 'user', content };
      const [prepared] = await prepare(begin(), [one]);
      expect(prepared?.content).toEqual([{ type, text: NOW }, ...content]);
      const stripped = begin().stripRequest({ [key]: [prepared] }, format);
      expect(stripped).toEqual({ [key]: [one] });
      expect(begin().stripRequest(stripped, format)).toBe(stripped);
    },
  );
});
