import * as fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { importEncoding } from '../../src/cost/encoding.js';
import { O200k } from '../../src/cost/o200k.js';
import { runAtOnce } from '../../src/cost/pause.js';
import type { MessagesMessage, MessagesRequest } from '../../src/formats/anthropic-messages.js';
import { createInjector, type Report } from '../../src/index.js';

const o200k = runAtOnce(O200k.build(await importEncoding()));
const models = ['claude-opus-5-5', 'claude-3-5-haiku-latest', 'gpt-4o', 'some-model'];

/** What happens before a request: servers change, and a user asks. */
const turn = fc.record({
  texts: fc.dictionary(
    fc.constantFrom('alpha', 'beta', 'gamma', 'delta'),
    fc.option(fc.oneof(fc.lorem({ maxCount: 30 }), fc.string({ unit: 'binary', maxLength: 60 })), {
      nil: '',
    }),
  ),
  model: fc.constantFrom(...models),
  isRegenerated: fc.boolean(),
});

function startHost(): {
  ask(model: string): Promise<{ report: Report; request: MessagesRequest }>;
  tell(texts: Record<string, string>): void;
  again(): void;
  counted(model: string): Promise<void>;
} {
  const texts = new Map<string, string>();
  const injector = createInjector({ firstTurnWaitMs: 0, logLevel: 'silent' });
  const conversation = injector.conversation();
  const messages: MessagesMessage[] = [];
  return {
    async ask(model) {
      messages.push({ role: 'user', content: `question ${messages.length}` });
      const request = { model, max_tokens: 10, messages: [...messages] };
      const prepared = await conversation.prepare(request);
      messages.push({ role: 'assistant', content: 'answer' });
      return { report: prepared.report, request: prepared.request };
    },
    tell(changes) {
      for (const [id, text] of Object.entries(changes)) {
        if (!texts.has(id)) injector.adopt(id, () => ({ instructions: texts.get(id) ?? '' }));
        texts.set(id, text);
      }
    },
    again() {
      messages.splice(-2);
    },
    async counted(model) {
      const request = { model, max_tokens: 10, messages: [{ role: 'user' as const, content: 'anything' }] };
      await vi.waitFor(
        async () => {
          const { report } = await conversation.prepare(request, { record: false });
          expect(report.tokens.total).toBeGreaterThan(0);
          expect(report.tokens.method).not.toBe('rough');
        },
        { timeout: 30_000 },
      );
    },
  };
}

/** Our blocks in a request. */
function blocksIn({ messages }: MessagesRequest): string[] {
  return messages.flatMap(({ content }) =>
    typeof content === 'string'
      ? []
      : content.flatMap((block) =>
          typeof block['text'] === 'string' && block['text'].startsWith('<system-reminder>')
            ? [block['text']]
            : [],
        ),
  );
}

describe('the cost of a conversation', () => {
  it('adds up in every request of any conversation', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(turn, { minLength: 1, maxLength: 6 }), async (turns) => {
        const host = startHost();
        for (const { texts, model, isRegenerated } of turns) {
          host.tell(texts);
          const { report } = await host.ask(model);
          const { added, carried, wrapper, total, low, high } = report.tokens;
          expect(total).toBe(added + carried);
          expect(report.servers.reduce((sum, server) => sum + server.tokens, wrapper)).toBe(total);
          expect(wrapper).toBeGreaterThanOrEqual(0);
          expect(low).toBeLessThanOrEqual(total);
          expect(high).toBeGreaterThanOrEqual(total);
          if (isRegenerated) host.again();
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it('is what the blocks in the captured bodies cost, over twelve turns', async () => {
    const host = startHost();
    const script: Record<number, Record<string, string>> = {
      1: { docs: 'Search before you write.', tickets: '# Tickets\nAsk for the project first. 😀' },
      4: { late: '遅れて接続しました。最初に検索してください。' },
      6: { tickets: '' },
      9: { tickets: '# Tickets\nAsk for the project first. 😀' },
      11: { docs: 'Search before you write, and read before you search.' },
    };
    host.tell(script[1]!);
    await host.counted('gpt-4o');
    let sum = 0;
    for (let round = 1; round <= 12; round++) {
      host.tell(script[round] ?? {});
      const { report, request } = await host.ask('gpt-4o');
      const { tokens } = report;
      expect(tokens.method).toBe('counted');
      expect(tokens.total).toBe(blocksIn(request).reduce((total, block) => total + o200k.count(block), 0));
      sum += tokens.total;
      expect(tokens.sinceStart).toBe(sum);
    }
    expect(sum).toBeGreaterThan(500);
  });
});
