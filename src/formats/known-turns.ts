import type { AssistantTurn, UserTurn } from '../conversation/reading.js';
import type { MessagesBlock, MessagesMessage } from './messages-request.js';
import { isProgramCall } from './program-calls.js';

type Turn = UserTurn | AssistantTurn;

/** What one block of a message held. */
interface Held {
  readonly block: MessagesBlock;
  readonly type: string;
  readonly part: unknown;
}

/** The blocks of a message that has not exactly one. */
class Blocks {
  readonly all: readonly Held[];

  constructor(all: readonly Held[]) {
    this.all = all;
  }

  areIn(content: readonly MessagesBlock[], role: string): boolean {
    return (
      content.length === this.all.length &&
      this.all.every(({ block, type, part }, at) => {
        return content[at] === block && block.type === type && partOf(block, role) === part;
      })
    );
  }
}

/** How many places of {@link History} one message takes. */
const WIDTH = 6;

/**
 * What was read of a history, by position. All of it is looked at for every request, and memory that was not used since costs more
 * than the comparing: so what is compared stands in one row, and a turn is not looked into.
 */
export class History {
  /** Of each message: itself, its role, its content, its only block or {@link Blocks}, that block's type and its part. */
  readonly #row: unknown[] = [];
  readonly #turns: (Turn | undefined)[] = [];

  /**
   * @param index where the message stands
   * @param message a message
   * @returns its turn, if there is one and it still holds the same
   */
  find(index: number, message: MessagesMessage): Turn | undefined {
    const row = this.#row;
    const at = index * WIDTH;
    if (row[at] !== message) return undefined;
    const { role, content } = message;
    if (row[at + 1] !== role || row[at + 2] !== content) return undefined;
    if (typeof content === 'string') return this.#turns[index];
    const held = row[at + 3];
    if (held instanceof Blocks) return held.areIn(content, role) ? this.#turns[index] : undefined;
    const [block] = content;
    if (block === undefined || block !== held || content.length !== 1) return undefined;
    if (row[at + 4] !== block.type || row[at + 5] !== partOf(block, role)) return undefined;
    return this.#turns[index];
  }

  /**
   * Remembers a turn, if all that went into it can be compared cheaply.
   *
   * @param index where the message stands
   * @param message a message
   * @param turn what was read from it; `undefined` forgets what stood there
   */
  keep(index: number, message: MessagesMessage, turn: Turn | undefined): void {
    const held = turn === undefined ? undefined : heldBy(message, turn);
    const [only] = held ?? [];
    const isOne = held?.length === 1 && only !== undefined;
    const row = this.#row;
    // One by one, from the first place on: an array with gaps is a slow one.
    while (row.length < index * WIDTH) row.push(undefined);
    while (this.#turns.length < index) this.#turns.push(undefined);
    this.#turns[index] = held === undefined ? undefined : turn;
    const at = index * WIDTH;
    row[at] = held === undefined ? undefined : message;
    row[at + 1] = message.role;
    row[at + 2] = held === undefined ? undefined : message.content;
    row[at + 3] = isOne ? only.block : held === undefined ? undefined : new Blocks(held);
    row[at + 4] = isOne ? only.type : undefined;
    row[at + 5] = isOne ? only.part : undefined;
  }

  /** Forgets what stood after so many messages. */
  trim(length: number): void {
    if (this.#turns.length <= length) return;
    this.#turns.length = length;
    this.#row.length = Math.min(this.#row.length, length * WIDTH);
  }
}

/** Histories that were read before, each found by its first message, so that it goes when that goes. */
export class KnownTurns {
  readonly #histories: WeakMap<object, History> = new WeakMap();

  /**
   * @param messages the messages of a request
   * @returns what is known of them
   */
  historyOf(messages: readonly object[]): History {
    const [first] = messages;
    let history = first === undefined ? undefined : this.#histories.get(first);
    if (history === undefined) {
      history = new History();
      if (first !== undefined) this.#histories.set(first, history);
    }
    history.trim(messages.length);
    return history;
  }
}

/** What is compared of a message's blocks; `undefined` when that is not enough to know its turn by. */
function heldBy({ content, role }: MessagesMessage, turn: Turn): readonly Held[] | undefined {
  if (turn.role === 'user' && turn.stored.length > 0) return undefined;
  const blocks = typeof content === 'string' ? [] : content;
  const held = blocks.map((block) => ({ block, type: block.type, part: partOf(block, role) }));
  return held.some(({ part }) => part === undefined) ? undefined : held;
}

/** What of a block goes into a turn beside its type; `undefined` where that is more than one string. */
function partOf(block: MessagesBlock, role: string): unknown {
  const { type } = block;
  if (role === 'assistant') {
    // Of an answer's other blocks, such as thinking, nothing goes in.
    if (type === 'text') return stringOf(block.text);
    if (type === 'tool_use') return isProgramCall(block) ? undefined : stringOf(block.id);
    return type === 'compaction' ? (block.content ?? null) : type;
  }
  if (type === 'text') return stringOf(block.text);
  return type === 'tool_result' ? stringOf(block.tool_use_id) : undefined;
}

function stringOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
