import { readConfigFile } from '../servers/config-file.js';
import type { ServerConfig } from '../servers/server-config.js';
import type { CommandValues } from './command.js';

/** The servers by id. */
export type Servers = Readonly<Record<string, ServerConfig>>;

/** Where hosts keep the servers of a project. */
const DEFAULT_FILE = '.mcp.json';

/**
 * Reads the servers of the file that `--config` names.
 *
 * @throws InstructionsError `CONFIG_FILE`
 */
export async function readServers(values: CommandValues): Promise<Servers> {
  const { config } = values;
  const file = await readConfigFile(typeof config === 'string' ? config : DEFAULT_FILE);
  // Makes `__proto__` an ordinary id, as the file has it.
  return Object.fromEntries(file.servers);
}
