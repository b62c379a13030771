import { showText } from '../instructions/show-text.js';
import { isRecord } from '../values.js';
import type {
  HttpServerConfig,
  InstructionsOptions,
  ServerConfig,
  StdioServerConfig,
} from './server-options.js';

/** Ids may be long, and what is told is cut. */
const MAX_ID_CHARS = 32;

type Fields<Config> = Readonly<Record<keyof Config, true>>;
type InstructionsObject = Extract<InstructionsOptions['instructions'], object>;

const instructionsFields: Fields<InstructionsOptions> = {
  instructions: true,
  maxChars: true,
  maxTokens: true,
};
const instructionsObjectFields: Fields<InstructionsObject> = { mode: true, maxChars: true, maxTokens: true };
const serverFields: Fields<StdioServerConfig & HttpServerConfig> = {
  ...instructionsFields,
  type: true,
  command: true,
  args: true,
  env: true,
  cwd: true,
  url: true,
  headers: true,
  authProvider: true,
  fetch: true,
  protocol: true,
  connectTimeoutMs: true,
  required: true,
  disabled: true,
};

/**
 * What hosts keep in an entry of `mcpServers` for themselves, by the files of Claude Code, Claude Desktop, Cline, Roo Code, Cursor, VS Code, Windsurf,
 * Gemini CLI, Codex and Copilot. They mean nothing here and are no misspellings, so nothing is said about them. `docs/options.md` shows the same list.
 */
export const hostFields: readonly string[] = [
  'allowedTools',
  'alwaysAllow',
  'auth',
  'authProviderType',
  'autoApprove',
  'autoStart',
  'description',
  'dev',
  'disabledTools',
  'enabled',
  'enabledTools',
  'envFile',
  'excludeTools',
  'extensionName',
  'gallery',
  'headersHelper',
  'icon',
  'id',
  'includeTools',
  'name',
  'oauth',
  'priority',
  'sampling',
  'sandbox',
  'sandboxEnabled',
  'scope',
  'scopes',
  'timeout',
  'title',
  'tools',
  'transport',
  'transportType',
  'trust',
  'version',
  'watchPaths',
];

const ours: ReadonlySet<string> = new Set(Object.keys(serverFields));
const hosts: ReadonlySet<string> = new Set(hostFields);
const ofInstructions: ReadonlySet<string> = new Set(Object.keys(instructionsObjectFields));
const ofAdopted: ReadonlySet<string> = new Set([...Object.keys(instructionsFields), 'identity']);

/** Fields of an entry of `mcpServers` that mean nothing, neither here nor to a host that is known: paths inside the entry. */
export function unknownServerFields(config: unknown): readonly string[] {
  return unknownIn(config, (field) => ours.has(field) || hosts.has(field));
}

/** The same entry without {@link unknownServerFields}. */
export function withoutUnknownFields<Config extends ServerConfig>(config: Config): Config {
  const { instructions } = config;
  const kept = Object.entries(config).filter(([field]) => ours.has(field) || hosts.has(field));
  const inner =
    typeof instructions === 'object'
      ? Object.fromEntries(Object.entries(instructions).filter(([field]) => ofInstructions.has(field)))
      : instructions;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only fields that the type does not have are gone
  return { ...Object.fromEntries(kept), ...(inner === undefined ? {} : { instructions: inner }) } as Config;
}

/** Fields of the options of an adopted source that mean nothing. */
export function unknownAdoptFields(options: unknown): readonly string[] {
  return unknownIn(options, (field) => ofAdopted.has(field));
}

/** An id in the path of a field, for people. */
export function idInPath(id: string): string {
  return showText(id, MAX_ID_CHARS);
}

function unknownIn(value: unknown, isKnown: (field: string) => boolean): readonly string[] {
  if (!isRecord(value)) return [];
  const { instructions } = value;
  const inner = isRecord(instructions) ? Object.keys(instructions) : [];
  return [
    ...Object.keys(value).filter((field) => !isKnown(field)),
    ...inner.filter((field) => !ofInstructions.has(field)).map((field) => `instructions.${field}`),
  ];
}
