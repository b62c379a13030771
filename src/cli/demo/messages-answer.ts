/** A content block of an answer, such as `{ type: 'text', text }` or `{ type: 'tool_use', id, name, input }`. */
export interface AnswerBlock {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** What an answer says it used, in tokens; figures that are left out are made from the lengths of the bodies. */
export interface AnswerUsage {
  readonly input_tokens?: number;
  readonly output_tokens?: number;
  readonly cache_creation_input_tokens?: number;
  readonly cache_read_input_tokens?: number;
}

/** A whole message; sent as JSON, or as events when the request has `stream: true`. */
export interface MessageAnswer {
  readonly content: string | readonly AnswerBlock[];
  /** @default the next number: `msg_000001`, `msg_000002`, ... */
  readonly id?: string;
  /** @default 'tool_use' when a block is one, else 'end_turn' */
  readonly stopReason?: string;
  readonly usage?: AnswerUsage;
}

/** An error body with its status. */
export interface ErrorAnswer {
  /** An HTTP status, such as 529. */
  readonly status: number;
  /** @default { type: 'api_error', message: 'scripted' } */
  readonly error?: { readonly type: string; readonly message: string };
  /** Added to the answer. `retry-after-ms: 1` is there unless it is overridden, so that the SDK's retries do not wait. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Any other body, with status 200; for `count_tokens` and `batches`, or for an answer that is wrong on purpose. */
export interface JsonAnswer {
  readonly json: unknown;
}

/** No answer: the connection is cut. */
export interface HangUpAnswer {
  readonly hangUp: true;
}

/** What the endpoint answers; a string is a message of that text. */
export type Answer = string | MessageAnswer | ErrorAnswer | JsonAnswer | HangUpAnswer;

/** A message as the API gives it. */
export interface AnswerMessage {
  readonly id: string;
  readonly type: 'message';
  readonly role: 'assistant';
  readonly model: string;
  readonly content: readonly AnswerBlock[];
  readonly stop_reason: string;
  readonly stop_sequence: null;
  readonly usage: Required<AnswerUsage>;
}

/** What a message is completed with. */
export interface AnswerFacts {
  readonly id: string;
  readonly model: string;
  /** Length of the request's body, in UTF-16 units. */
  readonly requestChars: number;
}

/** A stand-in for a token count: the same for the same text, and of the right order. */
export function roughTokens(chars: number): number {
  return Math.ceil(chars / 4);
}

/** Completes an answer to what the API would send. */
export function toMessage(answer: MessageAnswer, { id, model, requestChars }: AnswerFacts): AnswerMessage {
  const { content } = answer;
  const blocks: readonly AnswerBlock[] =
    typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  const isToolUse = blocks.some((block) => block.type === 'tool_use');
  return {
    id: answer.id ?? id,
    type: 'message',
    role: 'assistant',
    model,
    content: blocks,
    stop_reason: answer.stopReason ?? (isToolUse ? 'tool_use' : 'end_turn'),
    stop_sequence: null,
    usage: {
      input_tokens: roughTokens(requestChars),
      output_tokens: roughTokens(JSON.stringify(blocks).length),
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      ...answer.usage,
    },
  };
}
