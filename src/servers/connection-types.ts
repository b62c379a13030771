import type { Client, ClientCapabilities, Implementation } from '@modelcontextprotocol/client';

import type { Observer } from '../observe/observer.js';
import type { Clock } from './clock.js';
import type { Protocol } from './server-options.js';
import type { InstructionsRecord, ServerState } from './server-state.js';

/** Options of a connection manager. */
export interface ConnectionManagerOptions {
  /**
   * Total time for one attempt to connect, in ms, 1 to 2,147,483,647. Progress notifications do not extend it.
   *
   * @default 30000
   */
  readonly connectTimeoutMs?: number;
  /** @default 'auto' */
  readonly protocol?: Protocol;
  /** Where events go. */
  readonly observer: Observer;
  /** What the clients call themselves. Default: this package's name and version. */
  readonly clientInfo?: Implementation;
  /** What the host can do for servers: roots, sampling, elicitation. */
  readonly capabilities?: ClientCapabilities;
  /** Called with every new client before it connects, to set request and notification handlers. */
  readonly onClient?: (id: string, client: Client) => void;
  /**
   * How many servers may be starting at the same moment. A server that takes long gives its place away, so that it
   * delays no other.
   *
   * @default 16
   */
  readonly maxParallel?: number;
  /**
   * How often a server over HTTP is asked for its instructions again, in ms, which also shows whether it is still there. Default:
   * never; a loss shows when a request fails.
   */
  readonly refreshMs?: number;
  /** Called with fields of configurations that mean nothing, such as `servers.docs.arg`. */
  readonly onUnknown?: (fields: readonly string[]) => void;
  /** Default: the machine's. */
  readonly clock?: Clock;
}

/** What listeners can be told. */
export interface ConnectionEvents {
  /** A server's state changed. */
  readonly state: { readonly id: string; readonly state: ServerState; readonly previous: ServerState };
  /** A reply was read. `previous` is the record before; the hashes tell whether the text changed. */
  readonly instructions: {
    readonly id: string;
    readonly record: InstructionsRecord;
    readonly previous: InstructionsRecord | undefined;
  };
  /** `client(id)` gives another client from now on, or none. */
  readonly client: { readonly id: string; readonly client: Client | undefined };
  /** The first attempt of a server ended, well or badly. */
  readonly settled: { readonly id: string };
}

/** Called with each event of its kind. What it throws, or rejects with, stays with it. */
export type ConnectionListener<Name extends keyof ConnectionEvents> = (event: ConnectionEvents[Name]) => void;
