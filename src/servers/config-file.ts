import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, resolve, sep } from 'node:path';
import { parseEnv } from 'node:util';

import { InstructionsError } from '../errors.js';
import { kindOf } from './config-fields.js';
import { expandVariables, UnknownVariable, type VariableSource } from './expand-variables.js';
import { JsonSyntaxError, parseJsonWithComments } from './json-with-comments.js';
import { parseServerConfig, type ServerConfig } from './server-config.js';

/** How a configuration file is read. */
export interface ConfigFileOptions {
  /** Where `${NAME}` looks. Default: the environment of this process. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Gives values for other names, such as `input:token` of VS Code. */
  readonly variables?: VariableSource;
}

/** The servers of one file. */
export interface ConfigFile {
  /** The path as it was given. */
  readonly path: string;
  /** By server id, in the order of the file. Servers that the file disables are left out. */
  readonly servers: ReadonlyMap<string, ServerConfig>;
}

/** Editors keep their files in a folder of the workspace. */
const editorFolders: ReadonlySet<string> = new Set(['.vscode', '.cursor', '.claude']);

/**
 * Reads the servers of a host's configuration file: `mcpServers` of Claude Code, Claude Desktop and Cursor, `servers` of VS Code, also
 * inside `mcp` of its settings. Comments and trailing commas are allowed, `${NAME}`, `${env:NAME}` and `${NAME:-default}` are expanded.
 *
 * @param path of the file
 * @throws InstructionsError `CONFIG_FILE` naming the file, the key and what was expected; no value of the file is shown
 */
export async function readConfigFile(path: string, options: ConfigFileOptions = {}): Promise<ConfigFile> {
  const root = parseText(path, await readText(path, path));
  const { key, entries } = findServers(path, root);
  const source = variablesOf(path, options);
  const servers = new Map<string, ServerConfig>();
  for (const [id, value] of Object.entries(entries)) {
    const place = `${key}.${id}`;
    const config = await withEnvFile(path, place, expand(path, place, value, source));
    if (isDisabled(config)) continue;
    if (isServer(path, place, id, config)) servers.set(id, config);
  }
  return { path, servers };
}

async function readText(configPath: string, path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    const code: unknown =
      typeof cause === 'object' && cause !== null ? Reflect.get(cause, 'code') : undefined;
    const about = path === configPath ? '' : ` (envFile of ${configPath})`;
    throw new InstructionsError('CONFIG_FILE', `${path}: cannot be read: ${String(code)}${about}`, { cause });
  }
}

function parseText(path: string, text: string): unknown {
  try {
    return parseJsonWithComments(text);
  } catch (error) {
    const line = error instanceof JsonSyntaxError ? `, line ${error.line}` : '';
    throw new InstructionsError('CONFIG_FILE', `${path}${line}: expected JSON`);
  }
}

function findServers(path: string, root: unknown): { key: string; entries: object } {
  const rootObject = asObject(path, 'the file', root);
  const places: readonly (readonly string[])[] = [
    ['mcpServers'],
    ['servers'],
    ['mcp', 'servers'],
    ['mcp', 'mcpServers'],
  ];
  for (const place of places) {
    let value: unknown = rootObject;
    for (const name of place)
      value =
        typeof value === 'object' && value !== null && Object.hasOwn(value, name)
          ? Reflect.get(value, name)
          : undefined;
    const key = place.join('.');
    if (value !== undefined) return { key, entries: asObject(path, `\`${key}\``, value) };
  }
  throw new InstructionsError(
    'CONFIG_FILE',
    `${path}: expected \`mcpServers\` or \`servers\`, found neither`,
  );
}

function asObject(path: string, what: string, value: unknown): object {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new InstructionsError('CONFIG_FILE', `${path}: ${what}: expected an object, got ${kindOf(value)}`);
}

function expand(path: string, place: string, value: unknown, source: VariableSource): unknown {
  try {
    return expandVariables(value, source, place);
  } catch (error) {
    if (!(error instanceof UnknownVariable)) throw error;
    const expected = `expected a value for \${${error.variable}}, found none`;
    throw new InstructionsError('CONFIG_FILE', `${path}: \`${error.field}\`: ${expected}`);
  }
}

function variablesOf(path: string, options: ConfigFileOptions): VariableSource {
  const environment = options.environment ?? process.env;
  const folder = dirname(resolve(path));
  const workspace = editorFolders.has(basename(folder)) ? dirname(folder) : folder;
  const known = new Map([
    ['userHome', homedir()],
    ['workspaceFolder', workspace],
    ['workspaceFolderBasename', basename(workspace)],
    ['pathSeparator', sep],
    ['/', sep],
  ]);
  return (name) => {
    const given = options.variables?.(name);
    if (given !== undefined) return given;
    const variable = name.startsWith('env:') ? name.slice('env:'.length) : name;
    if (Object.hasOwn(environment, variable)) return environment[variable];
    return known.get(name);
  };
}

/** Variables from `envFile`, below those of `env`. */
async function withEnvFile(path: string, place: string, value: unknown): Promise<unknown> {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, 'envFile')) return value;
  const file: unknown = Reflect.get(value, 'envFile');
  if (typeof file !== 'string')
    throw new InstructionsError(
      'CONFIG_FILE',
      `${path}: \`${place}.envFile\`: expected a path, got ${kindOf(file)}`,
    );
  const fromFile = parseEnv(await readText(path, resolve(dirname(resolve(path)), file)));
  const own: unknown = Reflect.get(value, 'env');
  return { ...value, env: { ...fromFile, ...(typeof own === 'object' ? own : {}) } };
}

function isDisabled(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Reflect.get(value, 'disabled') === true;
}

function isServer(path: string, place: string, id: string, value: unknown): value is ServerConfig {
  try {
    parseServerConfig(id, value);
    return true;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.replace(/^server "(?:[^"\\]|\\.)*": /u, '') : '';
    throw new InstructionsError('CONFIG_FILE', `${path}: \`${place}\`: ${reason}`, { cause });
  }
}
