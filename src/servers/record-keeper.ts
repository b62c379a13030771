import type { Connected } from './connect-server.js';
import { reportRecord } from './failure-events.js';
import type { RawReply } from './handshake-watch.js';
import { makeRecord, sameText } from './instructions-record.js';
import type { LifeContext } from './life-context.js';
import type { InstructionsRecord, InstructionsSource } from './server-state.js';

/** Keeps what one server said last. A reply without instructions replaces a text like any other reply. */
export class RecordKeeper {
  readonly #id: string;
  readonly #context: LifeContext;
  #record: InstructionsRecord | undefined;

  constructor(id: string, context: LifeContext) {
    this.#id = id;
    this.#context = context;
  }

  get record(): InstructionsRecord | undefined {
    return this.#record;
  }

  /** Files a reply of a connection and tells about it. */
  take(reply: RawReply, connection: Connected): void {
    const previous = this.#record;
    const cachedAt = reply === connection.reply ? connection.cachedAt : undefined;
    const record = makeRecord(reply.instructions, {
      source: cachedAt === undefined ? sourceOf(reply) : 'cache',
      era: connection.era,
      protocolVersion: connection.protocolVersion,
      receivedAt: cachedAt ?? this.#context.clock.now(),
    });
    this.#record = record;
    const isChanged = previous !== undefined && !sameText(previous, record);
    reportRecord(this.#context.observer, this.#id, record, isChanged ? previous : undefined);
    this.#context.notify('instructions', { id: this.#id, record, previous });
  }
}

function sourceOf(reply: RawReply): InstructionsSource {
  return reply.method === 'initialize' ? 'initialize' : 'discover';
}
