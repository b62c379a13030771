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
  /** Puts the reason why connecting over this link failed into words, from what the link has seen. */
  explain(error: unknown): Failure;
  /** Resolves once it is sure that the other side outlived its own handshake, as far as that can be seen. */
  confirm(): Promise<void>;
  /** Closes the transport and resolves when nothing of it is left. Bounded; safe to call again. */
  close(): Promise<void>;
}
