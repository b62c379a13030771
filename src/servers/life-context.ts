import type { Client, ClientCapabilities, Implementation } from '@modelcontextprotocol/client';

import type { Observer } from '../observe/observer.js';
import type { BackoffSettings } from './backoff.js';
import type { Clock } from './clock.js';
import type { ConnectionEvents } from './connection-types.js';
import type { Protocol } from './server-options.js';
import type { StartGate } from './start-gate.js';

/** What all lives of one manager share. */
export interface LifeContext {
  readonly clock: Clock;
  readonly observer: Observer;
  readonly connectTimeoutMs: number;
  readonly protocol: Protocol;
  readonly clientInfo: Implementation;
  readonly capabilities: ClientCapabilities | undefined;
  readonly onClient: ((id: string, client: Client) => void) | undefined;
  /** How often HTTP servers are asked for their instructions again, in ms. */
  readonly refreshMs: number | undefined;
  readonly backoff: BackoffSettings;
  readonly gate: StartGate;
  /** In [0, 1). */
  readonly random: () => number;
  readonly notify: <Name extends keyof ConnectionEvents>(name: Name, event: ConnectionEvents[Name]) => void;
}
