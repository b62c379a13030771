import type { LogLevelSetting } from '../observe/logger.js';
import type { Protocol } from '../servers/server-config.js';

/**
 * One kind of setting: how it is read from an environment variable and how an option's value is checked. Both answer
 * `undefined` for what is not accepted.
 */
export interface Kind<Value> {
  /** What is accepted from a variable, as a person reads it. */
  readonly accepted: string;
  /** What is accepted as an option. */
  readonly expected: string;
  fromText(text: string): Value | undefined;
  fromValue(value: unknown): Value | undefined;
}

/** The longest delay a timer keeps; Node runs a longer one after 1 ms. */
export const maxDelayMs: number = 2_147_483_647;

const revision = /^[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])$/;
/** Earlier revisions have no `server/discover`, which is what a pin asks for. */
const firstRevision = '2026-07-28';
const flags: Readonly<Record<string, boolean>> = { '0': false, '1': true, false: false, true: true };
const logLevels: readonly string[] = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

const list = (words: readonly string[]): string => words.map((word) => `\`${word}\``).join(', ');

/** A whole number between two limits, both included. */
export function wholeNumber(min: number, max: number): Kind<number> {
  const inRange = (value: number): number | undefined =>
    Number.isInteger(value) && value >= min && value <= max ? value + 0 : undefined;
  return {
    accepted: `digits only, a whole number from ${min} to ${max}`,
    expected: `a whole number from ${min} to ${max}`,
    fromText: (text) => (/^[0-9]+$/.test(text) ? inRange(Number(text)) : undefined),
    fromValue: (value) => (typeof value === 'number' ? inRange(value) : undefined),
  };
}

/** The protocol negotiation. */
export const protocol: Kind<Protocol> = {
  accepted: `\`legacy\`, \`auto\`, or a revision date from \`${firstRevision}\` on`,
  expected: `'legacy', 'auto' or { pin: a revision date from ${firstRevision} on }`,
  fromText: (text) => (isProtocolName(text) ? text : pinned(text)),
  fromValue: (value) => {
    if (typeof value === 'object' && value !== null && 'pin' in value) return pinned(value.pin);
    return isProtocolName(value) ? value : undefined;
  },
};

/** A yes or no. */
export const flag: Kind<boolean> = {
  accepted: list(Object.keys(flags)),
  expected: 'true or false',
  fromText: (text) => (Object.hasOwn(flags, text) ? flags[text] : undefined),
  fromValue: (value) => (typeof value === 'boolean' ? value : undefined),
};

/** The least severe level that is logged. */
export const logLevel: Kind<LogLevelSetting> = {
  accepted: list(logLevels),
  expected: `one of ${list(logLevels)}`,
  fromText: (text) => (isLogLevel(text) ? text : undefined),
  fromValue: (value) => (isLogLevel(value) ? value : undefined),
};

function pinned(value: unknown): Protocol | undefined {
  if (typeof value !== 'string' || !revision.test(value) || value < firstRevision) return undefined;
  return Object.freeze({ pin: value });
}

function isProtocolName(value: unknown): value is 'legacy' | 'auto' {
  return value === 'legacy' || value === 'auto';
}

function isLogLevel(value: unknown): value is LogLevelSetting {
  return typeof value === 'string' && logLevels.includes(value);
}
