import { createHash } from 'node:crypto';
import { BlockReader } from '../../src/conversation/block-reader.js';
import { ChainCache } from '../../src/conversation/chain-cache.js';
import type { ForcedText } from '../../src/conversation/diff.js';
import { ledgerFromData, ledgerToData, type LedgerData } from '../../src/conversation/ledger-data.js';
import { Ledger } from '../../src/conversation/ledger.js';
import { plan } from '../../src/conversation/plan.js';
import type { Plan } from '../../src/conversation/plan-types.js';
import { commit, discard, fileThread, record } from '../../src/conversation/settle.js';
import { AnthropicMessages, type MessagesRequest } from '../../src/formats/anthropic-messages.js';
import { renderSection } from '../../src/render/section.js';

/** What is in force in a test: a text, or `null` for a server that is not known yet. */
export type Force = Readonly<Record<string, string | null>>;

const keys = new Map<string, string>();

/** The key of a text, as the library makes it. */
export function textKey(text: string): string {
  let key = keys.get(text);
  if (key === undefined) {
    key = createHash('sha256').update(text).digest('hex').slice(0, 32);
    keys.set(text, key);
  }
  return key;
}

/** A planned request and how to settle it. */
export interface EngineCall {
  readonly request: MessagesRequest;
  readonly plan: Plan;
  commit(message?: { id: string; content: MessagesRequest['messages'][number]['content'] }): void;
  discard(): void;
}

/** The pure core of a conversation, without servers, waits and stores. */
export class Engine {
  readonly ledger: Ledger;
  readonly #format = new AnthropicMessages();
  readonly #chains = new ChainCache();
  readonly #reader = new BlockReader(textKey);

  constructor(saved?: unknown) {
    this.ledger = saved === undefined ? new Ledger() : ledgerFromData(saved);
  }

  prepare(request: MessagesRequest, force: Force | undefined, isRecorded = true): EngineCall {
    const inForce =
      force === undefined
        ? undefined
        : new Map(
            Object.entries(force).map(([id, text]): [string, ForcedText | 'hold'] => [
              id,
              text === null ? 'hold' : { text, hash: textKey(renderSection(id, text)) },
            ]),
          );
    const reading = this.#format.read(request, (text) => this.#reader.isBlock(text, this.ledger));
    const made = plan(this.ledger, reading, inForce, {
      hash: textKey,
      read: (text) => this.#reader.said(text),
      chains: this.#chains,
    });
    if (isRecorded) record(this.ledger, made);
    return {
      request: this.#format.write(request, made.placements),
      plan: made,
      commit: (message) => {
        commit(this.ledger, made);
        if (message !== undefined) {
          fileThread(this.ledger, made, message.id, this.#format.readAnswer(message)!.turn);
        }
      },
      discard: () => discard(this.ledger, made, () => false),
    };
  }

  save(): LedgerData {
    return JSON.parse(JSON.stringify(ledgerToData(this.ledger))) as LedgerData;
  }
}

type Message = MessagesRequest['messages'][number];

export const user = (content: Message['content']): Message => ({ role: 'user', content });
export const assistant = (text: string): Message => ({
  role: 'assistant',
  content: [{ type: 'text', text }],
});
export const calls = (...ids: string[]): Message => ({
  role: 'assistant',
  content: ids.map((id) => ({ type: 'tool_use', id, name: 'tool', input: {} })),
});
export const results = (...ids: string[]): Message => ({
  role: 'user',
  content: ids.map((id) => ({ type: 'tool_result', tool_use_id: id, content: `result of ${id}` })),
});
export const request = (...messages: Message[]): MessagesRequest => ({ model: 'test-model', messages });
