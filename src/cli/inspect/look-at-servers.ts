import type { Injector } from '../../injector.js';
import type { Failure, ServerState } from '../../servers/server-state.js';
import { firstTurn } from '../first-turn.js';
import { inert } from '../inert.js';
import type { Servers } from '../read-servers.js';
import { withServers, type ConnectOptions } from './connect-servers.js';
import type { InspectedFailure, InspectedServer, Inspection } from './inspection.js';

/** Whether a server has no connection to look at. */
export function hasFailed({ state }: { readonly state: ServerState['state'] }): boolean {
  return state !== 'connected';
}

/**
 * @param also called while the servers are connected
 * @returns what every server said, and what a first turn would carry of it
 */
export async function lookAtServers(
  servers: Servers,
  options: ConnectOptions,
  also?: (injector: Injector) => Promise<void>,
): Promise<Inspection> {
  return await withServers(servers, { ...options, disabled: false }, async (injector, warnings) => {
    const { report, block } = await firstTurn(injector);
    await also?.(injector);
    const seen = report.servers.map((said): InspectedServer => {
      const status = injector.connections.status(said.id);
      const record = status?.instructions;
      return {
        id: said.id,
        transport: status?.transport ?? 'stdio',
        state: status?.state.state ?? 'removed',
        reason: failureOf(status?.state),
        serverInfo: status?.serverInfo ?? null,
        era: record?.era ?? null,
        protocolVersion: record?.protocolVersion ?? null,
        source: said.source,
        // The plan is of a request that was not sent; what it places would be told.
        outcome: said.change === 'added' ? 'told' : said.outcome,
        chars: said.chars,
        keptChars: said.keptChars,
        lostChars: said.lostChars,
        tokens: said.tokens,
        sha256: record?.sha256 ?? null,
        flags: said.flags,
        warnings: warnings.of(said.id),
      };
    });
    const { total, method } = report.tokens;
    return {
      servers: seen,
      block: { chars: block?.length ?? 0, tokens: total, method },
      warnings: warnings.of(),
    };
  });
}

/** @returns why a server is not connected, without what its process printed: that may hold anything */
export function failureOf(state: ServerState | undefined): InspectedFailure | null {
  const reason: Failure | undefined = state !== undefined && 'reason' in state ? state.reason : undefined;
  if (reason === undefined) return null;
  return {
    kind: reason.kind,
    message: inert(reason.message),
    status: reason.status ?? null,
    code: reason.code ?? null,
    exitCode: reason.process?.exitCode ?? null,
    signal: reason.process?.signal ?? null,
  };
}
