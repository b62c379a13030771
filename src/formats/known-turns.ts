import type { AssistantTurn, UserTurn } from '../conversation/reading.js';
import type { MessagesBlock, MessagesMessage } from './messages-request.js';

type Turn = UserTurn | AssistantTurn;

interface Known {
  readonly role: string;
  readonly content: MessagesMessage['content'];
  /** The blocks and what of each went into the turn, as they were then. */
  readonly blocks: readonly MessagesBlock[];
  readonly types: readonly string[];
  readonly parts: readonly unknown[];
  turn: Turn;
}

/** Turns of messages that were read before. One counts only while its message still holds the same. */
export class KnownTurns {
  readonly #known: WeakMap<object, Known> = new WeakMap();

  /**
   * @param message a message
   * @param index where it stands now
   */
  find(message: MessagesMessage, index: number): Turn | undefined {
    const known = this.#known.get(message);
    if (known === undefined || known.content !== message.content || known.role !== message.role)
      return undefined;
    const { content } = known;
    if (typeof content !== 'string') {
      if (content.length !== known.blocks.length) return undefined;
      for (let at = 0; at < content.length; at += 1) {
        const block = content[at];
        if (block === undefined || block !== known.blocks[at] || block.type !== known.types[at])
          return undefined;
        if (partOf(block, known.role) !== known.parts[at]) return undefined;
      }
    }
    if (known.turn.role === 'user' && known.turn.index !== index) known.turn = { ...known.turn, index };
    return known.turn;
  }

  /**
   * Remembers a turn, if all that went into it can be compared cheaply.
   *
   * @param message a message
   * @param turn what was read from it
   */
  keep(message: MessagesMessage, turn: Turn): void {
    const { content, role } = message;
    if (turn.role === 'user' && turn.stored.length > 0) return;
    const blocks = typeof content === 'string' ? [] : content.slice();
    const types = blocks.map((block) => block.type);
    const parts = blocks.map((block) => partOf(block, role));
    if (!parts.includes(undefined)) this.#known.set(message, { role, content, blocks, types, parts, turn });
  }
}

/** What of a block goes into a turn beside its type; `undefined` where that is more than a string. */
function partOf(block: MessagesBlock, role: string): unknown {
  if (block.type === 'text') return block.text;
  if (block.type === 'tool_result') return block.tool_use_id;
  if (block.type === 'tool_use') return block.id;
  if (block.type === 'compaction') return block.content;
  // Of an answer's other blocks, such as thinking, nothing goes in.
  return role === 'assistant' ? block.type : undefined;
}
