import { createInjector, type Injector } from '../../injector.js';
import type { ServerStatus } from '../../servers/server-state.js';
import type { Servers } from '../read-servers.js';
import { WarningLog } from './warning-log.js';

/** How connections are made for a while. */
export interface ConnectOptions {
  /** Told once for each server, when its first attempt ended. */
  readonly onSettled: (status: ServerStatus) => void;
  readonly signal: AbortSignal;
  /** Goes before the variable that switches the library off. */
  readonly disabled?: false;
  /** A pin file: what is not approved in it is withheld. Default: everything is shown */
  readonly pins?: string;
}

/**
 * Connects to every server, calls back, and closes everything, whatever happens.
 *
 * @param servers the servers by id
 * @param options see {@link ConnectOptions}
 * @param use called when the first attempt of every server ended
 */
export async function withServers<Result>(
  servers: Servers,
  { onSettled, signal, disabled, pins }: ConnectOptions,
  use: (injector: Injector, warnings: WarningLog) => Promise<Result>,
): Promise<Result> {
  const warnings = new WarningLog();
  const policy = pins === undefined ? undefined : 'pinned';
  const injector = createInjector({ servers, disabled, pins, policy, logger: warnings });
  try {
    injector.connections.on('settled', ({ id }) => {
      const status = injector.connections.status(id);
      if (status !== undefined) onSettled(status);
    });
    await injector.connections.whenSettled(signal);
    return await use(injector, warnings);
  } finally {
    await injector.close();
  }
}
