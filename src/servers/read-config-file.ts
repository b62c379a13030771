import { InstructionsError, notExpected } from '../errors.js';
import { isObject, isRecord, kindOf } from '../values.js';
import type { ConfigFile, ConfigFileOptions } from './config-file-types.js';
import type * as OnNode from './config-file.js';

export type { ConfigFile, ConfigFileOptions } from './config-file-types.js';
export type { VariableSource } from './expand-variables.js';

/**
 * Reads the servers of a host's configuration file: `mcpServers` of Claude Code, Claude Desktop and Cursor, `servers` of VS Code, also
 * inside `mcp` of its settings. Comments and trailing commas are allowed, `${NAME}`, `${env:NAME}` and `${NAME:-default}` are expanded.
 * A server that cannot be used is left out and named in `problems`; the others are not affected.
 *
 * Node only.
 *
 * @param path of the file
 * @param options see {@link ConfigFileOptions}
 * @returns the servers, for `createInjector({ servers })`, and what is to be said of the others
 * @throws InstructionsError `CONFIG_FILE` when the file as a whole cannot be used, naming the file, the key and what was expected, never a
 *   value of the file; `INVALID_OPTION` for a wrong argument
 */
export async function readConfigFile(path: string, options?: ConfigFileOptions): Promise<ConfigFile> {
  checkArguments(path, options);
  // On demand, because it needs Node.
  let onNode: typeof OnNode;
  try {
    onNode = await import('#node/servers/config-file.js');
  } catch (cause) {
    throw new InstructionsError('CONFIG_FILE', `${path}: cannot be read: reading a file needs Node`, {
      cause,
    });
  }
  return await onNode.readConfigFile(path, options ?? {});
}

function checkArguments(path: unknown, options: unknown): void {
  if (typeof path !== 'string' || path === '') {
    throw notExpected('INVALID_OPTION', 'readConfigFile: path', 'a path', kindOf(path));
  }
  if (options === undefined || options === null) return;
  if (!isRecord(options)) {
    throw notExpected('INVALID_OPTION', 'readConfigFile: options', 'an object', kindOf(options));
  }
  const { environment, variables } = options;
  if (environment !== undefined && !isObject(environment)) {
    throw notExpected('INVALID_OPTION', 'readConfigFile: environment', 'an object', kindOf(environment));
  }
  if (variables !== undefined && typeof variables !== 'function') {
    throw notExpected('INVALID_OPTION', 'readConfigFile: variables', 'a function', kindOf(variables));
  }
}
