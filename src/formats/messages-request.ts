/** A block of a message's content, as far as this format looks at it. */
export interface MessagesBlock {
  readonly type: string;
  readonly text?: unknown;
  readonly id?: unknown;
  readonly tool_use_id?: unknown;
  readonly caller?: unknown;
  readonly content?: unknown;
}

/** A message, as far as this format looks at it. */
export interface MessagesMessage {
  readonly role: string;
  readonly content: string | readonly MessagesBlock[];
}

/** A request body of the Messages API, as far as this format looks at it. */
export interface MessagesRequest {
  readonly messages: readonly MessagesMessage[];
  readonly model?: unknown;
  readonly thread?: unknown;
}
