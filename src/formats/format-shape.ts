/**
 * Who a message is from: `tool` is a message that only answers tool calls; `other`, such as a system message, takes no part in
 * the history.
 */
export type MessageRole = 'user' | 'assistant' | 'tool' | 'other';

/** A message of the model's, reduced to what names it in a history. */
export interface AnswerParts {
  /** Its text; `''` when it has none. */
  readonly text: string;
  /** The ids of the tools' calls in it. */
  readonly calls: readonly string[];
  /** Whether it holds text only, so that at the end of a request the model goes on with it. */
  readonly textOnly: boolean;
  /** Whether it holds the API's own summary of what came before, in whose place the model reads it. @default false */
  readonly compacts?: boolean;
  /** Whether a program of the model made one of its calls, so that the API takes nothing but their answers next: news waits. @default false */
  readonly byProgram?: boolean;
}

/**
 * One API's request, for {@link defineFormat}: a list of messages, where those of the user hold a list of parts. All functions
 * are pure and change nothing that they are given.
 *
 * The functions that read a message see objects only, but those may be of no kind that the API knows. A message that a function
 * throws at is left as it is: nothing is put into it, and it counts by all that it holds.
 */
export interface FormatShape<Request, Message extends object, Part extends object> {
  /** The name of the format. */
  readonly name: string;
  /**
   * Whether the value is such a request. All others are left as they are, so the other functions see none of them. Messages need
   * not be looked at.
   */
  accepts(request: unknown): request is Request;
  /** The history, oldest first. */
  messages(request: Request): readonly Message[];
  /** The same request with another history. */
  withMessages(request: Request, messages: readonly Message[]): Request;
  /** Who a message is from. */
  role(message: Message): MessageRole;
  /**
   * What a user message holds; a text alone is one part. A message for which it gives no list of objects is left as it is, and
   * holds no block.
   */
  parts(message: Message): readonly Part[] | undefined;
  /** The same user message with other parts. */
  withParts(message: Message, parts: readonly Part[]): Message;
  /** A user message, for a block that follows tool messages. */
  userMessage(parts: readonly Part[]): Message;
  /** A part that holds a text. */
  textPart(text: string): Part;
  /** A part's text; `undefined` when it is of another kind. */
  textOf(part: Part): string | undefined;
  /** The ids of the calls that a tool message answers. */
  results(message: Message): readonly string[];
  /** What names a message of the model's. */
  answer(message: Message): AnswerParts;
  /** Where answers to tool calls are parts of a user message: the id of the call; `undefined` for any other part. */
  resultOf?(part: Part): string | undefined;
  /**
   * What names a part that holds no text.
   *
   * @default all of it as JSON, but its cache breakpoints
   */
  keyOf?(part: Part): string | undefined;
  /** The id of the answer that the request goes on from, where the API keeps the history. */
  continues?(request: Request): string | undefined;
  /** The ids by which the next request may go on from an answer, and its messages; `undefined` when it is no answer. */
  readAnswer?(
    answer: unknown,
  ): { readonly ids: readonly string[]; readonly messages: readonly Message[] } | undefined;
}

/** How a format places blocks. */
export interface FormatOptions {
  /**
   * What becomes of news right after tool messages: a user `message` that follows them, or `hold`, for endpoints that refuse such a
   * message: the news waits for the next prompt.
   *
   * @default 'message'
   */
  readonly afterTools?: 'message' | 'hold' | undefined;
}
