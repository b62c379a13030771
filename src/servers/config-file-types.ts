import type { InstructionsError } from '../errors.js';
import type { VariableSource } from './expand-variables.js';
import type { ServerConfig } from './server-options.js';

/** How a configuration file is read. */
export interface ConfigFileOptions {
  /** Where `${NAME}` looks. @default the environment of this process */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
  /** Gives values for other names, such as `input:token` of VS Code. @default none */
  readonly variables?: VariableSource | undefined;
}

/** The servers of one file. */
export interface ConfigFile {
  /** The path as it was given. */
  readonly path: string;
  /** By server id, in the order of the file: those that can be connected. */
  readonly servers: ReadonlyMap<string, ServerConfig>;
  /** The ids of servers that the file disables. */
  readonly disabled: readonly string[];
  /**
   * What is wrong with servers that were left out, each alone: `CONFIG_FILE`, naming the file, the key and what was expected. To be
   * shown: a server that is missing without a word is looked for elsewhere.
   */
  readonly problems: readonly InstructionsError[];
  /**
   * Fields that mean nothing, neither here nor to a host that is known, such as `mcpServers.docs.arg`. `servers` is without them. They are no problem,
   * and may be misspelt.
   */
  readonly unknown: readonly string[];
}
