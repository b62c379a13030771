import { readConfigFile } from '../servers/config-file.js';
import type { ServerConfig } from '../servers/server-config.js';
import type { CommandContext } from './command.js';
import { inert } from './inert.js';

/** The servers by id. */
export type Servers = Readonly<Record<string, ServerConfig>>;

/** Where hosts keep the servers of a project. */
const DEFAULT_FILE = '.mcp.json';

/** What a file gave. */
export interface ServersFile {
  readonly servers: Servers;
  /** Why others were left out, each with the file and the key; shown already. */
  readonly problems: readonly string[];
}

/**
 * Reads the servers of the file that `--config` names, and says which of them cannot be used.
 *
 * @throws InstructionsError `CONFIG_FILE`
 */
export async function readServers({ values, terminal }: CommandContext): Promise<ServersFile> {
  const { config } = values;
  const file = await readConfigFile(typeof config === 'string' ? config : DEFAULT_FILE);
  const problems = file.problems.map(({ message }) => message);
  for (const message of problems) terminal.note(`left out: ${inert(message)}`);
  for (const id of file.disabled) terminal.note(`${inert(id)}: disabled in the file`);
  for (const field of file.unknown) terminal.note(`${inert(field)}: means nothing here; check its spelling`);
  // Makes `__proto__` an ordinary id, as the file has it.
  return { servers: Object.fromEntries(file.servers), problems };
}
