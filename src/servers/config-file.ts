import { homedir } from 'node:os';
import { basename, dirname, resolve, sep } from 'node:path';
import { parseEnv } from 'node:util';

import { InstructionsError } from '../errors.js';
import type { ConfigFile, ConfigFileOptions } from './config-file-types.js';
import { findServers } from './config-places.js';
import { readConfigText } from './config-text.js';
import { ExpansionError, expandVariables, type VariableSource } from './expand-variables.js';
import type { RepeatedKey } from './json-with-comments.js';
import { unknownServerFields, withoutUnknownFields } from './known-fields.js';
import { parseServerConfig, type ServerConfig } from './server-config.js';
import { kindOf } from '../values.js';

export type { ConfigFile, ConfigFileOptions } from './config-file-types.js';

/** Editors keep their files in a folder of the workspace. */
const editorFolders: ReadonlySet<string> = new Set(['.vscode', '.cursor', '.claude']);

/** See `readConfigFile` of `read-config-file.ts`, which loads this where there is Node. */
export async function readConfigFile(path: string, options: ConfigFileOptions = {}): Promise<ConfigFile> {
  const { key, entries, repeated, unread } = findServers(path, await readConfigText(path));
  const source = variablesOf(path, options);
  const servers = new Map<string, ServerConfig>();
  const disabled: string[] = [];
  const unknown: string[] = [];
  const problems = unread.map((other) =>
    problem(path, other, `expected servers in one place, found \`${key}\` too`),
  );
  for (const [id, value] of Object.entries(entries)) {
    const place = `${key}.${id}`;
    try {
      // Whether a server is wanted is asked first: nobody gives values to one that is not.
      if (isDisabled(path, place, value, repeated.get(id) ?? [])) {
        disabled.push(id);
        continue;
      }
      const config = await readEntry(path, place, id, value, source);
      servers.set(id, withoutUnknownFields(config));
      for (const field of unknownServerFields(config)) unknown.push(`${place}.${field}`);
    } catch (error) {
      if (!InstructionsError.isInstance(error)) throw error;
      problems.push(error);
    }
  }
  return { path, servers, disabled, problems, unknown };
}

function problem(path: string, place: string, expectation: string, cause?: unknown): InstructionsError {
  return new InstructionsError('CONFIG_FILE', `${path}: \`${place}\`: ${expectation}`, { cause });
}

function isDisabled(path: string, place: string, value: unknown, repeated: readonly RepeatedKey[]): boolean {
  const again = repeated.find(({ path: keys }) => keys.length === 0);
  if (again !== undefined) throw problem(path, place, `expected once, found again in line ${again.line}`);
  const state: unknown = ownField(value, 'disabled');
  if (state === true) return true;
  if (state !== undefined && state !== false)
    throw problem(path, `${place}.disabled`, `expected true or false, got ${kindOf(state)}`);
  for (const { path: keys, line } of repeated)
    throw problem(path, [place, ...keys].join('.'), `expected once, found again in line ${line}`);
  return false;
}

async function readEntry(
  path: string,
  place: string,
  id: string,
  value: unknown,
  source: VariableSource,
): Promise<ServerConfig> {
  const config = await withEnvFile(path, place, expand(path, place, value, source));
  checkServer(path, place, id, config);
  return config;
}

function expand(path: string, place: string, value: unknown, source: VariableSource): unknown {
  try {
    return expandVariables(value, source, place);
  } catch (error) {
    if (!(error instanceof ExpansionError)) throw error;
    throw problem(path, error.field, error.expectation);
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
  const file = ownField(value, 'envFile');
  if (typeof value !== 'object' || file === undefined) return value;
  if (typeof file !== 'string')
    throw problem(path, `${place}.envFile`, `expected a path, got ${kindOf(file)}`);
  const about = ` (\`${place}.envFile\` of ${path})`;
  const fromFile = parseEnv(await readConfigText(resolve(dirname(resolve(path)), file), about));
  const own = ownField(value, 'env');
  // Anything else is refused with the server's other fields.
  if (own !== undefined && (typeof own !== 'object' || own === null || Array.isArray(own))) return value;
  return { ...value, env: { ...fromFile, ...own } };
}

function ownField(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return Reflect.get(value, name);
}

function checkServer(path: string, place: string, id: string, value: unknown): asserts value is ServerConfig {
  try {
    parseServerConfig(id, value);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.replace(/^server "(?:[^"\\]|\\.)*": /u, '') : '';
    throw problem(path, place, reason, cause);
  }
}
