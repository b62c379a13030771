import type { AssistantTurn, UserTurn } from '../conversation/reading.js';
import type { MessagesBlock, MessagesMessage } from './messages-request.js';

type Turn = UserTurn | AssistantTurn;

/** One object for most messages, which have one block: at every request all of a history is looked at. */
interface Known {
  readonly message: MessagesMessage;
  readonly role: string;
  readonly content: MessagesMessage['content'];
  /** The first block and what of it went into the turn, as it was then. */
  readonly first: MessagesBlock | undefined;
  readonly type: string | undefined;
  readonly part: unknown;
  /** The further blocks; `undefined` when there are none. */
  readonly rest:
    | readonly { readonly block: MessagesBlock; readonly type: string; readonly part: unknown }[]
    | undefined;
  turn: Turn;
}

/** Turns of messages that were read before. One counts only while its message still holds the same. */
export class KnownTurns {
  readonly #known: WeakMap<object, Known> = new WeakMap();
  /** The same by position, since a history mostly grows; found by its first message, so that it goes when that goes. */
  readonly #histories: WeakMap<object, (Known | undefined)[]> = new WeakMap();

  /**
   * @param messages the messages of a request
   * @returns what is known of them by position
   */
  historyOf(messages: readonly MessagesMessage[]): (Known | undefined)[] {
    const [first] = messages;
    if (first === undefined) return [];
    let history = this.#histories.get(first);
    if (history === undefined) {
      history = [];
      this.#histories.set(first, history);
    }
    history.length = Math.min(history.length, messages.length);
    return history;
  }

  /**
   * @param history what is known by position; see {@link KnownTurns.historyOf}
   * @param message a message
   * @param index where it stands now
   */
  find(history: (Known | undefined)[], message: MessagesMessage, index: number): Turn | undefined {
    let known = history[index];
    if (known?.message !== message) {
      known = this.#known.get(message);
      history[index] = known;
    }
    if (known === undefined || !holdsTheSame(known, message)) return undefined;
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
    const blocks = typeof content === 'string' ? [] : content;
    const parts = blocks.map((block) => partOf(block, role));
    if (parts.includes(undefined)) return;
    const [first] = blocks;
    const rest =
      blocks.length < 2
        ? undefined
        : blocks.slice(1).map((block, at) => ({ block, type: block.type, part: parts[at + 1] }));
    this.#known.set(message, {
      message,
      role,
      content,
      first,
      type: first?.type,
      part: parts[0],
      rest,
      turn,
    });
  }
}

function holdsTheSame(known: Known, { content, role }: MessagesMessage): boolean {
  if (known.content !== content || known.role !== role) return false;
  if (typeof content === 'string') return true;
  const { first, rest } = known;
  const count = first === undefined ? 0 : 1 + (rest?.length ?? 0);
  if (content.length !== count) return false;
  if (first === undefined) return true;
  if (content[0] !== first || first.type !== known.type || partOf(first, role) !== known.part) return false;
  return (
    rest === undefined ||
    rest.every(
      ({ block, type, part }, at) =>
        content[at + 1] === block && block.type === type && partOf(block, role) === part,
    )
  );
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
