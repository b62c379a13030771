import { notExpected } from '../errors.js';
import { showValue } from '../instructions/show-value.js';
import { type Kind, maxDelayMs, wholeNumber } from './kinds.js';
import type { PassedInSettings, CountingClient } from './settings.js';
import type { TrustPolicy } from './values.js';
import type { LedgerStore } from '../stores/ledger-store.js';
import type { LoggerLike } from '../observe/logger.js';
import { isRecord, kindOf } from '../values.js';

const delay = wholeNumber(1, maxDelayMs);
const places = wholeNumber(1, 1_000);
const sha256 = /^[0-9a-f]{64}$/i;

/**
 * Checks the options that have no environment variable. What came is named by its type alone, since any of them may hold a secret.
 *
 * @param fields the options by name
 * @throws InstructionsError `INVALID_OPTION`
 */
export function checkPassedIn(fields: ReadonlyMap<string, unknown>): PassedInSettings {
  const take = <Value>(
    name: string,
    expected: string,
    is: (value: unknown) => value is Value,
  ): Value | undefined => {
    const value = fields.get(name);
    if (value === undefined || is(value)) return value;
    throw notExpected('INVALID_OPTION', name, expected, kindOf(value));
  };
  return {
    servers: take('servers', 'an object or a map from server id to configuration', isServers) ?? {},
    logger: take('logger', 'a logger with debug, info, warn and error', isLogger),
    store: take('store', 'a store with get, set and delete', isStore),
    storeTimeoutMs: numberFrom(fields, 'storeTimeoutMs', delay) ?? 1_000,
    onReport: take('onReport', 'a function', isFunction<PassedInSettings['onReport']>),
    countWith: take('countWith', 'a client with messages.countTokens', isCounter),
    policy: policyFrom(fields.get('policy')),
    pins: copyPins(
      take('pins', 'the path of a pin file, or an object from identity to SHA-256 (64 hex digits)', arePins),
    ),
    clientInfo: take('clientInfo', 'an object with the texts name and version', isClientInfo),
    capabilities: take('capabilities', 'an object', isCapabilities),
    onClient: take('onClient', 'a function', isFunction<PassedInSettings['onClient']>),
    refreshMs: numberFrom(fields, 'refreshMs', delay),
    maxParallel: numberFrom(fields, 'maxParallel', places) ?? 16,
  };
}

function numberFrom(
  fields: ReadonlyMap<string, unknown>,
  name: string,
  kind: Kind<number>,
): number | undefined {
  const value = fields.get(name);
  if (value === undefined) return undefined;
  const number = kind.fromValue(value);
  if (number === undefined) throw notExpected('INVALID_OPTION', name, kind.expected, showValue(value));
  return number;
}

function policyFrom(value: unknown): TrustPolicy {
  if (value === undefined) return 'allow';
  if (value === 'allow' || value === 'pinned' || value === 'first-use') return value;
  throw notExpected('INVALID_OPTION', 'policy', "'allow', 'pinned' or 'first-use'", showValue(value));
}

function copyPins(pins: PassedInSettings['pins']): PassedInSettings['pins'] {
  return typeof pins === 'object' ? Object.freeze({ ...pins }) : pins;
}

function isFunction<Value>(value: unknown): value is NonNullable<Value> {
  return typeof value === 'function';
}

/** Methods of a class count, and so do those of a function, as some loggers are. */
function hasMethods(value: unknown, ...names: readonly string[]): value is object {
  return (
    (isRecord(value) || typeof value === 'function') &&
    names.every((name) => isFunction(Reflect.get(value, name)))
  );
}

function isServers(value: unknown): value is PassedInSettings['servers'] {
  return isRecord(value);
}

function isLogger(value: unknown): value is LoggerLike {
  return hasMethods(value, 'debug', 'info', 'warn', 'error');
}

function isStore(value: unknown): value is LedgerStore {
  if (!hasMethods(value, 'get', 'set', 'delete')) return false;
  const update: unknown = Reflect.get(value, 'update');
  return update === undefined || isFunction(update);
}

function isCounter(value: unknown): value is CountingClient {
  return isRecord(value) && hasMethods(Reflect.get(value, 'messages'), 'countTokens');
}

function arePins(value: unknown): value is NonNullable<PassedInSettings['pins']> {
  if (typeof value === 'string') return value !== '';
  return (
    isRecord(value) && Object.values(value).every((hash) => typeof hash === 'string' && sha256.test(hash))
  );
}

function isClientInfo(value: unknown): value is NonNullable<PassedInSettings['clientInfo']> {
  return isRecord(value) && ['name', 'version'].every((key) => typeof Reflect.get(value, key) === 'string');
}

function isCapabilities(value: unknown): value is NonNullable<PassedInSettings['capabilities']> {
  return isRecord(value);
}
