import type {
  Client,
  ClientCapabilities,
  ConnectOptions,
  DiscoverResult,
  Implementation,
} from '@modelcontextprotocol/client';

import type { Deadline } from './deadline.js';
import type { HandshakeWatch, RawReply } from './handshake-watch.js';
import type { Link } from './link.js';
import type { Sdk } from './sdk.js';
import type { Protocol } from './server-options.js';
import type { Era } from './server-state.js';

/** The longest delay a timer takes, in ms. */
const longestTimerMs = 2_147_483_647;

/** What a handshake needs to know. */
export interface HandshakeOptions {
  readonly mode: Protocol;
  /** How long `server/discover` may take, in ms, before the legacy handshake is used. */
  readonly probeMs: number;
  readonly deadline: Deadline;
  readonly clientInfo: Implementation;
  readonly capabilities: ClientCapabilities | undefined;
  readonly onClient: (client: Client) => void;
  /** A discover result that is still valid: connects without asking. */
  readonly known: DiscoverResult | undefined;
}

/** A handshake that is done. */
export interface Handshake {
  readonly client: Client;
  readonly link: Link;
  readonly watch: HandshakeWatch;
  readonly era: Era;
  readonly protocolVersion: string;
  /** The reply that the connection stands on. */
  readonly reply: RawReply;
}

/**
 * One handshake over one link. The SDK ignores aborts while it probes and cannot be told a total time, so both are kept here: when
 * the deadline's signal aborts this rejects at once, and the caller closes the link.
 *
 * @throws whatever the SDK throws, or the signal's reason
 */
export async function shakeHands(
  link: Link,
  watch: HandshakeWatch,
  sdk: Sdk,
  options: HandshakeOptions,
): Promise<Handshake> {
  const { deadline, mode } = options;
  const client = new sdk.Client(options.clientInfo, {
    ...(options.capabilities === undefined ? {} : { capabilities: options.capabilities }),
    versionNegotiation: { mode, probe: { timeoutMs: options.probeMs, maxRetries: 0 } },
  });
  options.onClient(client);
  const connecting = client.connect(link.transport, connectOptions(options));
  await deadline.race(connecting);
  const isCached = watch.last === undefined;
  await deadline.race(link.confirm(isCached));
  const protocolVersion = client.getNegotiatedProtocolVersion();
  const era = client.getProtocolEra();
  if (protocolVersion === undefined || era === undefined) throw new Error('no version was negotiated');
  const reply = watch.last ?? knownReply(options.known);
  if (reply === undefined) throw new Error('no reply was seen');
  return { client, link, watch, era, protocolVersion, reply };
}

function connectOptions(options: HandshakeOptions): ConnectOptions {
  // Our deadline comes first; the SDK's own time is there for its timers to end some day.
  const timeout = Math.min(longestTimerMs, options.deadline.remainingMs + 60_000);
  if (options.known !== undefined) return { timeout, prior: { kind: 'modern', discover: options.known } };
  if (options.mode === 'legacy') return { timeout, prior: { kind: 'legacy' } };
  return { timeout };
}

function knownReply(known: DiscoverResult | undefined): RawReply | undefined {
  if (known === undefined) return undefined;
  return { method: 'server/discover', instructions: known.instructions, result: known };
}
