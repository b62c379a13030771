import type { ServerSnapshot, ServerStatus } from './server-state.js';

/** A snapshot as plain JSON, without the text and without anything secret of the configuration. */
export function toStatus(snapshot: ServerSnapshot): ServerStatus {
  const { id, config, settled, state, unavailableSince, serverInfo, record } = snapshot;
  return {
    id,
    transport: state.state === 'connected' ? state.transport : config.transport,
    required: config.required,
    settled,
    state,
    unavailableSince,
    serverInfo,
    instructions: record === undefined ? undefined : withoutValue(record),
  };
}

function withoutValue(
  record: NonNullable<ServerSnapshot['record']>,
): NonNullable<ServerStatus['instructions']> {
  const { source, era, protocolVersion, chars, sha256, receivedAt } = record;
  return { source, era, protocolVersion, chars, sha256, receivedAt };
}
