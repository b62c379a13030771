import type { EventDefinition } from '../event-definition.js';

const server = { server: 'label' } as const;
const failure = {
  server: 'label',
  reason: 'word',
  code: 'word',
  status: 'count',
  exitCode: 'count',
  signal: 'word',
  retryMs: 'count',
} as const;

/** The events about what happens to servers. */
export type ServerEvent =
  | 'server-connecting'
  | 'server-connected'
  | 'server-lost'
  | 'server-failed'
  | 'server-crash-looping'
  | 'server-needs-auth'
  | 'server-removed'
  | 'era-chosen-by-timeout'
  | 'process-left'
  | 'callback-failed';

/** The events about what happens to servers. */
export const serverEvents: Readonly<Record<ServerEvent, EventDefinition>> = {
  'server-connecting': {
    level: 'debug',
    message: 'An attempt to connect to a server starts',
    fields: { ...server, transport: 'word', protocol: 'word', attempt: 'count' },
  },
  'server-connected': {
    level: 'info',
    message: 'A server is connected',
    fields: {
      ...server,
      transport: 'word',
      era: 'word',
      version: 'word',
      source: 'word',
      attempt: 'count',
      durationMs: 'count',
    },
  },
  'server-lost': {
    level: 'warn',
    message: 'A connection that stood has ended',
    fields: { ...failure, transport: 'word', connectedMs: 'count' },
  },
  'server-failed': {
    level: 'warn',
    message: 'An attempt to connect to a server has failed',
    fields: { ...failure, transport: 'word', attempt: 'count' },
  },
  'server-crash-looping': {
    level: 'error',
    message: 'A server connects and ends again, several times in a row',
    fields: { ...failure, attempt: 'count' },
  },
  'server-needs-auth': {
    level: 'warn',
    message: 'A server wants credentials; nothing is retried until it has them',
    fields: { ...server, transport: 'word', reason: 'word', status: 'count' },
  },
  'server-removed': {
    level: 'info',
    message: 'A server was taken out',
    fields: server,
  },
  'era-chosen-by-timeout': {
    level: 'warn',
    message:
      'The discover probe timed out or met with an error, so the legacy handshake was used; its instructions may differ',
    fields: { ...server, transport: 'word', era: 'word', reason: 'word' },
  },
  'process-left': {
    level: 'warn',
    message: 'A process of a server could not be ended',
    fields: { ...server, processes: 'count' },
  },
  'callback-failed': {
    level: 'warn',
    message: 'A listener of the host, its onClient, or a handler that it gave a client, threw or rejected',
    fields: { ...server, reason: 'word' },
  },
};
