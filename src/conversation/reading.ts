import type { Digest } from './digest.js';

/** A user-role message, as a request format reads it. */
export interface UserTurn {
  readonly role: 'user';
  /** Where the message stands in the request. */
  readonly index: number;
  /** What the host wrote, without our blocks and without what may change later, such as a tool's result. */
  readonly digest: Digest;
  /** Whether the message holds something that a block may stand beside. */
  readonly solid: boolean;
  /** Whether the message answers a tool call: nothing of ours may come before such an answer. */
  readonly answersTool: boolean;
  /** Texts of our blocks that the host stored in the message, at the place where we put them. */
  readonly stored: readonly string[];
  /** Where in the message's content a new block goes: after `stored`. */
  readonly slot: number;
}

/** An assistant-role message. */
export interface AssistantTurn {
  readonly role: 'assistant';
  /** Its text without white space and its tool calls; `undefined` when it has neither. */
  readonly digest: Digest | undefined;
  /** Whether it holds text only, so that at the end of a request it is a prefill. */
  readonly textOnly: boolean;
  /** Whether it holds the API's own summary of what came before, in whose place the model reads it. */
  readonly compacts: boolean;
}

/** A request's history, in order, reduced to what decides where blocks stand. */
export interface Reading {
  readonly turns: readonly (UserTurn | AssistantTurn)[];
  /** The message id that a server-held thread goes on from; its history is not in the request. */
  readonly continues: string | undefined;
}

/** A block's text and the place it goes to. */
export interface Placement {
  /** Which message of the request. */
  readonly index: number;
  /** Where in the message's content. */
  readonly slot: number;
  readonly text: string;
}
