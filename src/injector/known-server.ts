import type { ServerReport } from '../cost/report.js';
import type { InstructionsPolicy } from '../servers/server-config.js';
import type { Era, ServerSnapshot } from '../servers/server-state.js';
import type { AdoptedReading } from './adopted-sources.js';

/** What is known of a server, whoever owns its client. */
export interface KnownServer {
  readonly id: string;
  /** What pins know it by. */
  readonly identity: string;
  readonly connection: ServerReport['connection'];
  readonly policy: InstructionsPolicy;
  /** Whether a reply was read. */
  readonly replied: boolean;
  readonly value: unknown;
  readonly source: string | null;
  /** The handshake of the reply; `null` when there was none. */
  readonly era: Era | null;
  /** Since when it is away, in ms of the clock that is never set. */
  readonly awaySince: number | undefined;
  /** Away, but only until credentials come. */
  readonly awaitsAuth: boolean;
}

/**
 * @param snapshot a configured server
 * @param identity what pins know it by
 */
export function fromSnapshot(snapshot: ServerSnapshot, identity: string): KnownServer {
  const { id, config, state, record } = snapshot;
  return {
    id,
    identity,
    connection: state.state,
    policy: config.policy,
    replied: record !== undefined,
    value: record?.value,
    source: record?.source ?? null,
    era: record?.era ?? null,
    awaySince: snapshot.awaySince,
    awaitsAuth: state.state === 'needs-auth',
  };
}

/** @param reading an adopted source as it was read */
export function fromReading({ id, identity, policy, value, awaySince }: AdoptedReading): KnownServer {
  return {
    id,
    identity,
    connection: 'adopted',
    policy,
    replied: awaySince === undefined,
    value,
    source: 'adopted',
    era: null,
    awaySince,
    awaitsAuth: false,
  };
}
