import type { Observer } from '../observe/observer.js';
import type { Clock } from './clock.js';
import type { Link, LinkKind } from './link.js';
import type { Sdk } from './sdk.js';
import type { CheckedServer } from './server-options.js';

/**
 * Opens a link to a server. What needs Node is loaded only for servers that are processes.
 *
 * @param mayRedirect whether an OAuth provider may send a person to a browser
 */
export async function openLink(
  id: string,
  config: CheckedServer,
  kind: LinkKind,
  sdk: Sdk,
  observer: Observer,
  mayRedirect: boolean,
  clock: Clock,
): Promise<Link> {
  if (config.transport === 'stdio') {
    const { openStdioLink } = await import('#node/servers/stdio-link.js');
    return openStdioLink(id, config, sdk, observer);
  }
  const { HttpLink } = await import('./http-link.js');
  return new HttpLink(config, kind === 'sse' ? 'sse' : 'http', sdk, mayRedirect, clock);
}
