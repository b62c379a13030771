import type { RequestFormat } from '../formats/request-format.js';

/** One step of a history that the checks write: what a user said, what the model said or called, what tools answered. */
export type ScriptedTurn =
  | { readonly role: 'user'; readonly text: string }
  | { readonly role: 'assistant'; readonly text: string; readonly calls: readonly string[] }
  /** Answers to all calls of the turn before, given together. */
  | { readonly role: 'tools'; readonly results: readonly { readonly id: string; readonly text: string }[] };

/** A format to be checked, and how to write its requests. */
export interface ContractSubject<Request> {
  /** Makes the format, anew for every check. */
  format(): RequestFormat<Request>;
  /** Writes a history as the API takes it. A text or id must stand in it as it came. */
  request(history: readonly ScriptedTurn[]): Request;
  /** The list in a request that only grows: its messages, or its items. */
  messages(request: Request): readonly unknown[];
  /**
   * The same request with another such list, which may hold what no type allows.
   *
   * @default the list that `messages` gives is changed, in a request that was made for it
   */
  withMessages?(request: Request, messages: readonly unknown[]): Request;
  /**
   * A part of a user message that is no text, such as an image.
   *
   * @param name must stand in it, so that two of them are told apart
   * @default `{ type: 'other', data: name }`
   */
  otherPart?(name: string): unknown;
}

/** One thing that a format must hold. */
export interface ContractCheck {
  /** What it is, as a sentence. */
  readonly name: string;
  /** Looks. Rejects with an `Error` that says what went wrong. */
  run(): Promise<void>;
}
