import type { Report } from '../cost/report.js';

/** What the API said of a request it answered. */
export interface Outcome {
  /** The answer's `usage`. */
  readonly usage?: unknown;
  /** The answer: its id and content. Files it for server-held threads. */
  readonly message?: { readonly id: string; readonly content: unknown };
}

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
