import type { CheckedServer } from '../../servers/server-config.js';

/**
 * What pins know a configured server by: a hash of how it is reached. Names of variables go in, their values do not, nor headers,
 * nor the credentials of an address; the name a server reports of itself never does.
 *
 * @param config the checked configuration
 * @param hash SHA-256 in hex
 */
export function configurationIdentity(config: CheckedServer, hash: (text: string) => string): string {
  const how =
    config.transport === 'stdio'
      ? ['stdio', config.command, config.args, config.cwd ?? null, [...config.env.keys()].toSorted()]
      : [config.transport, withoutCredentials(config.url)];
  return hash(JSON.stringify(how));
}

/** They say who asks, as headers do, and a hash of a short password can be guessed. */
function withoutCredentials(address: string): string {
  const url = new URL(address);
  url.username = '';
  url.password = '';
  return url.href;
}
