import type { Report } from '../cost/report.js';
import type { RequestFormat } from '../formats/request-format.js';

/** What the API said of a request it answered. */
export interface Outcome {
  /** The answer's `usage`. */
  readonly usage?: unknown;
  /** The answer as the API gave it. Files it for threads whose history the API keeps. */
  readonly message?: { readonly id: string; readonly content?: unknown; readonly output?: unknown };
}

/** Options of `conversation.prepare()`. */
export interface PrepareOptions<Request> {
  /** Ends this call's wait for servers that are still connecting. */
  readonly signal?: AbortSignal | null | undefined;
  /** How the request is read and written. @default the Messages API of Anthropic */
  readonly format?: RequestFormat<Request> | undefined;
  /** `false` plans without recording, for requests that are not answered, such as `count_tokens`. @default true */
  readonly record?: boolean | undefined;
}

/** The names of {@link PrepareOptions}. */
export const prepareOptions: Readonly<Record<keyof PrepareOptions<unknown>, true>> = {
  signal: true,
  format: true,
  record: true,
};

/** A request that is ready to be sent. */
export interface Prepared<Request> {
  /** A new object of the same type, or the one that came in when there is nothing to change. */
  readonly request: Request;
  readonly report: Report;
  /**
   * Says that the request was delivered. Optional: without it the plan stands all the same, but is not saved.
   *
   * @returns resolves when it is stored, or after `storeTimeoutMs`; never rejects
   */
  commit(outcome?: Outcome): Promise<void>;
  /** Says that nothing was delivered: the plan is forgotten, unless it was committed or another call relies on it. */
  discard(): void;
}

/** Options of a request that one of the library's own adapters sends. */
export interface PrepareCallOptions<Request> extends PrepareOptions<Request> {
  /** Whether the call relies on the plan until it is released, whatever another call of the same turn says. */
  readonly isHeld?: boolean;
}

/** A prepared request as the library's own adapters use it. */
export interface PreparedCall<Request> extends Prepared<Request> {
  /** Records and holds the same plan again, after it was discarded. */
  again(): void;
  /** The attempt that relies on the plan ended. */
  release(): void;
  /** Says what the request sent in all, once its answer tells. */
  used(usage: unknown): void;
}

/** What an adapter needs of a conversation. */
export interface CallPreparer {
  readonly id: string;
  /** Whether it is known what a server-held thread was told up to a message of the model. */
  knowsThread(messageId: string): boolean;
  prepareCall<Request>(
    request: Request,
    options?: PrepareCallOptions<Request>,
  ): Promise<PreparedCall<Request>>;
  /** Tells of options of a call that mean nothing. */
  reportUnknown(call: string, options: unknown, known: Readonly<Record<string, true>>): void;
  /** Reports a failure of ours, which never reaches the host's call. */
  reportFailure(error: unknown): void;
}
