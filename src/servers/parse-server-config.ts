import { ConfigFields } from './config-fields.js';
import type {
  CheckedCommon,
  CheckedHttpServer,
  CheckedServer,
  CheckedStdioServer,
  InstructionsMode,
  InstructionsPolicy,
  Protocol,
} from './server-options.js';
import { notExpected } from '../errors.js';

const httpTypes: ReadonlySet<unknown> = new Set(['http', 'streamable-http', 'streamableHttp', 'sse']);
const aCommand = 'a string that is not empty';
const anAddress = 'an absolute address';
/** RFC 9110: a header name is a token. */
const headerName = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/u;
const headerValue = /^[\t\u0020-\u007e\u0080-\u00ff]*$/u;

/**
 * Checks one entry of `mcpServers` and brings it into one form.
 *
 * @param id the server id, for messages only
 * @param value the entry as the host wrote it
 * @returns the checked configuration
 * @throws InstructionsError `INVALID_SERVER` naming server, field, what was expected and what kind of value came
 */
export function parseServerConfig(id: string, value: unknown): CheckedServer {
  const label = labelOf(id);
  const fields = new ConfigFields(label, value);
  const type = fields.get('type');
  const hasCommand = fields.has('command');
  const hasUrl = fields.has('url');
  if (!hasCommand && !hasUrl && fields.mentions('command') && fields.mentions('url'))
    throw notExpected('INVALID_SERVER', label, '`command` or `url`', 'both as undefined');
  if (!hasCommand && !hasUrl && fields.mentions('url')) return fields.fail('url', anAddress, undefined);
  if (!hasCommand && !hasUrl && fields.mentions('command'))
    return fields.fail('command', aCommand, undefined);
  if (hasCommand && hasUrl) throw notExpected('INVALID_SERVER', label, '`command` or `url`', 'both');
  if (!hasCommand && !hasUrl) throw notExpected('INVALID_SERVER', label, '`command` or `url`', 'neither');
  if (hasCommand) {
    if (type !== undefined && type !== 'stdio') fields.fail('type', "'stdio' beside `command`", type);
    return parseStdio(fields);
  }
  if (type !== undefined && !httpTypes.has(type)) fields.fail('type', "'http' or 'sse' beside `url`", type);
  return parseHttp(label, fields, type === 'sse' ? 'sse' : 'http');
}

/**
 * Whether an entry of `mcpServers` is switched off, as hosts do it.
 *
 * @param id the server id, for messages only
 * @throws InstructionsError `INVALID_SERVER` when `disabled` is neither true nor false, or the entry is no object
 */
export function isDisabled(id: string, value: unknown): boolean {
  return new ConfigFields(labelOf(id), value).flag('disabled') ?? false;
}

/**
 * Checks the options that a configured server and an adopted source share.
 *
 * @param id the server id, for messages only
 * @param value an object with `instructions`, `maxChars`, `maxTokens`; other fields are not looked at
 * @throws InstructionsError `INVALID_SERVER`
 */
export function parseInstructionsOptions(id: string, value: unknown): InstructionsPolicy {
  return parsePolicy(new ConfigFields(labelOf(id), value));
}

function labelOf(id: string): string {
  return `server ${JSON.stringify(id.length > 64 ? `${id.slice(0, 64)}…` : id)}`;
}

function parseStdio(fields: ConfigFields): CheckedStdioServer {
  const command = fields.text('command');
  if (command === undefined) return fields.fail('command', aCommand, undefined);
  return Object.freeze({
    ...parseCommon(fields),
    transport: 'stdio',
    command,
    args: fields.texts('args'),
    env: fields.record('env', (key) => /^[^=\0]+$/u.test(key), 'not empty and without `=`'),
    cwd: fields.text('cwd'),
  });
}

function parseHttp(label: string, fields: ConfigFields, transport: 'http' | 'sse'): CheckedHttpServer {
  const headers = fields.record('headers', (key) => headerName.test(key), 'header names');
  for (const [name, value] of headers)
    if (!headerValue.test(value)) fields.fail(`headers.${name}`, 'a header value on one line', value);
  const authProvider = fields.get('authProvider');
  if (authProvider !== undefined && !isAuthProvider(authProvider))
    return fields.fail('authProvider', "one of the SDK's auth providers", authProvider);
  const fetch = fields.get('fetch');
  if (fetch !== undefined && !isFetch(fetch)) return fields.fail('fetch', 'a function', fetch);
  return Object.freeze({
    ...parseCommon(fields),
    transport,
    url: parseUrl(label, fields),
    headers,
    authProvider,
    fetch,
  });
}

function parseUrl(label: string, fields: ConfigFields): string {
  const value = fields.get('url');
  const text = value instanceof URL ? value.href : value;
  if (typeof text !== 'string' || !URL.canParse(text)) return fields.fail('url', anAddress, value);
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    fields.fail('url', 'an `http:` or `https:` address', value);
  // They would stand in errors and logs of whoever shows the address.
  if (url.username !== '' || url.password !== '')
    throw notExpected(
      'INVALID_SERVER',
      `${label}: \`url\``,
      'an address without a user and a password',
      'one with them; use `headers`',
    );
  return url.href;
}

function parseCommon(fields: ConfigFields): CheckedCommon {
  return {
    policy: parsePolicy(fields),
    protocol: parseProtocol(fields),
    connectTimeoutMs: fields.milliseconds('connectTimeoutMs'),
    required: fields.flag('required') ?? false,
  };
}

function parseProtocol(fields: ConfigFields): Protocol | undefined {
  const value = fields.get('protocol');
  if (value === undefined || value === 'auto' || value === 'legacy') return value;
  const pin: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, 'pin') : undefined;
  if (typeof pin !== 'string' || !isModernRevision(pin))
    return fields.fail('protocol', "'auto', 'legacy' or { pin: a revision from 2026-07-28 on }", value);
  return Object.freeze({ pin });
}

/** Revisions are dates; those before 2026-07-28 know no discover and cannot be pinned. */
function isModernRevision(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/u.test(text) && text >= '2026-07-28';
}

function parsePolicy(fields: ConfigFields): InstructionsPolicy {
  const maxChars = fields.whole('maxChars');
  const maxTokens = fields.whole('maxTokens');
  const value = fields.get('instructions');
  if (value === undefined || typeof value === 'boolean')
    return Object.freeze({
      mode: value === false ? 'off' : 'full',
      override: undefined,
      maxChars,
      maxTokens,
    });
  if (typeof value === 'string') return Object.freeze({ mode: 'full', override: value, maxChars, maxTokens });
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return fields.fail('instructions', `true, false, a string or an object`, value);
  const inner = new ConfigFields('instructions', value);
  const mode = inner.get('mode') ?? 'full';
  if (!isMode(mode)) return fields.fail('instructions.mode', "'full', 'user-only' or 'off'", mode);
  return Object.freeze({
    mode,
    override: undefined,
    maxChars: nested(fields, value, 'maxChars') ?? maxChars,
    maxTokens: nested(fields, value, 'maxTokens') ?? maxTokens,
  });
}

function nested(fields: ConfigFields, holder: object, field: string): number | undefined {
  const value: unknown = Object.hasOwn(holder, field) ? Reflect.get(holder, field) : undefined;
  if (value === undefined) return undefined;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 1) return value;
  return fields.fail(`instructions.${field}`, 'a positive whole number', value);
}

function isMode(value: unknown): value is InstructionsMode {
  return value === 'full' || value === 'user-only' || value === 'off';
}

function isAuthProvider(value: unknown): value is NonNullable<CheckedHttpServer['authProvider']> {
  if (typeof value !== 'object' || value === null) return false;
  return ['token', 'tokens'].some((name) => typeof Reflect.get(value, name) === 'function');
}

function isFetch(value: unknown): value is NonNullable<CheckedHttpServer['fetch']> {
  return typeof value === 'function';
}
