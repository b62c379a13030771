import type { ServerConfig } from '../../servers/server-config.js';
import type { Era } from '../../servers/server-state.js';
import type { InspectedServer, Inspection, OtherHandshake } from './inspection.js';
import type { Servers } from '../read-servers.js';
import { withServers, type ConnectOptions } from './connect-servers.js';
import { failureOf, hasFailed } from './look-at-servers.js';

/** The revision that a server is asked for when it was reached by `initialize`. */
const MODERN_REVISION = '2026-07-28';

/**
 * Connects with the handshake that was not used. The first connections must be closed by then: some servers allow one
 * process of theirs only.
 *
 * @param servers the servers by id
 * @param inspection what the first handshake gave
 * @param options see {@link ConnectOptions}
 * @returns the inspection with what the other handshake gave, where it could be tried
 */
export async function withOtherHandshake(
  servers: Servers,
  inspection: Inspection,
  options: ConnectOptions,
): Promise<Inspection> {
  const others = otherHandshakes(servers, inspection.servers);
  const found = await withServers(others, options, async ({ connections }) => {
    const statuses = connections.status().map((status) => [status.id, status] as const);
    return new Map(statuses);
  });
  const compared = inspection.servers.map((server): InspectedServer => {
    const status = found.get(server.id);
    if (status === undefined) return server;
    const era = otherEra(server);
    const record = status.instructions;
    const connected = status.state.state === 'connected';
    const sha256 = record?.sha256 ?? null;
    const other: OtherHandshake = {
      era,
      connected,
      reason: failureOf(status.state),
      protocolVersion: record?.protocolVersion ?? null,
      source: record?.source ?? null,
      chars: record?.chars ?? 0,
      sha256,
      differs: connected && sha256 !== server.sha256,
    };
    return { ...server, other };
  });
  return { ...inspection, servers: compared };
}

/** How a server was reached. */
type Reached = Pick<InspectedServer, 'id' | 'state' | 'transport' | 'era'>;

/**
 * The servers whose other handshake can be tried, configured for it.
 *
 * @param servers the servers by id
 * @param inspected what the first handshake gave
 */
export function otherHandshakes(servers: Servers, inspected: readonly Reached[]): Servers {
  const others: [string, ServerConfig][] = [];
  for (const server of inspected) {
    const config = Object.hasOwn(servers, server.id) ? servers[server.id] : undefined;
    // The transport before Streamable HTTP knows one handshake only.
    if (config === undefined || hasFailed(server) || server.transport === 'sse') continue;
    const protocol = otherEra(server) === 'legacy' ? 'legacy' : { pin: MODERN_REVISION };
    others.push([server.id, { ...config, protocol }]);
  }
  return Object.fromEntries(others);
}

function otherEra({ era }: Reached): Era {
  return era === 'modern' ? 'legacy' : 'modern';
}
