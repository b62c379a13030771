import type { AssistantTurn, Placement, Reading } from '../conversation/reading.js';

/** An answer of the model, where the API keeps the history on its side. */
export interface Answer {
  /** The ids by which the next request may go on from it. */
  readonly ids: readonly string[];
  /** The answer as a history would hold it. */
  readonly turn: AssistantTurn;
}

/**
 * What one API's request looks like: the only place that knows where its history is and where a block may stand.
 * A format is pure: it never changes a request, and keeps nothing but memos of what it read.
 */
export interface RequestFormat<Request> {
  /** The name of the format, for reports and logs. */
  readonly name: string;

  /** Whether the value is a request of this format with a history to read. Anything else is left untouched. */
  accepts(request: unknown): request is Request;

  /**
   * Reads the history.
   *
   * @param request a request of this format
   * @param isBlock tells our own blocks from the host's texts; only asked about texts at our place
   */
  read(request: Request, isBlock: (text: string) => boolean): Reading;

  /**
   * Places blocks.
   *
   * @param request a request of this format; not changed
   * @param placements where each block goes, at most one a message
   * @returns the request itself when there is nothing to place, else a new one that shares all it did not change
   */
  write(request: Request, placements: readonly Placement[]): Request;

  /**
   * Takes our own blocks out of stored messages.
   *
   * @param request a request of this format; not changed
   * @param isBlock tells our own blocks from the host's texts
   */
  strip(request: Request, isBlock: (text: string) => boolean): Request;

  /**
   * Reads an answer, so that a request that goes on from it is known to have been told what its history was told. Absent
   * where every request brings its whole history.
   *
   * @param answer what the host passed to `commit({ message })`
   * @returns `undefined` when it is no answer of this API
   */
  readAnswer?(answer: unknown): Answer | undefined;
}
