import type { Transport } from '@modelcontextprotocol/client';

import type { Failure } from './server-state.js';

/** The transport kinds that a link can have. */
export type LinkKind = 'stdio' | 'http' | 'sse';

/** A transport with what the SDK does not tell: how it was lost, why an attempt failed, and an end that is really one. */
export interface Link {
  readonly kind: LinkKind;
  readonly transport: Transport;
  /** Resolves when the connection is lost without anybody having closed it. */
  readonly lost: Promise<Failure>;
  /** Called with the result of each `initialize` that the link sent by itself. */
  onRenewed: ((result: object) => void) | undefined;
  /** Puts the reason why connecting over this link failed into words, from what the link has seen. Bounded. */
  explain(error: unknown): Promise<Failure>;
  /**
   * Resolves when there is evidence that the other side is there.
   *
   * @param isCached whether no answer has come over this link so far
   */
  confirm(isCached: boolean): Promise<void>;
  /** A request over this link got no answer: finds out whether the other side is still there. `undefined` where its loss shows by itself. */
  readonly doubt: (() => void) | undefined;
  /**
   * Hands in what the authorization server gave; also after the link was closed. `undefined` where there is nothing to hand it to.
   *
   * @param code the code, or the whole query of the callback
   * @param signal ends every request that this makes
   */
  readonly finishAuth: ((code: string | URLSearchParams, signal: AbortSignal) => Promise<void>) | undefined;
  /** Closes the transport and resolves when nothing of it is left. Bounded; safe to call again. */
  close(): Promise<void>;
}
