import { flag, type Kind, logLevel, maxDelayMs, protocol, wholeNumber } from './kinds.js';
import type { LogLevelSetting } from '../observe/logger.js';
import type { Protocol } from '../servers/server-config.js';

/** The settings that an option or an environment variable can give. */
export interface TabledSettings {
  readonly maxChars: number;
  readonly maxTokens: number | undefined;
  readonly maxTotalChars: number | undefined;
  readonly maxTotalTokens: number | undefined;
  readonly firstTurnWaitMs: number;
  readonly connectTimeoutMs: number;
  readonly unavailableGraceMs: number;
  readonly protocol: Protocol;
  readonly disabled: boolean;
  readonly logLevel: LogLevelSetting;
}

/** One row: the same setting as a variable, as an option, and what applies when neither is given. */
export interface SettingRow<Name extends keyof TabledSettings> {
  readonly variable: string;
  readonly kind: Kind<NonNullable<TabledSettings[Name]>>;
  readonly fallback: TabledSettings[Name];
}

/** A row per option. */
export type SettingTable = { readonly [Name in keyof TabledSettings]: SettingRow<Name> };

const amount = wholeNumber(1, Number.MAX_SAFE_INTEGER);
const delay = wholeNumber(1, maxDelayMs);
const wait = wholeNumber(0, maxDelayMs);

/** Every setting that has a variable, by its option. `docs/options.md` shows the same table. */
export const settingTable: SettingTable = {
  maxChars: { variable: 'MCP_INSTRUCTIONS_MAX_LENGTH', kind: amount, fallback: 2048 },
  maxTokens: { variable: 'MCP_INSTRUCTIONS_MAX_TOKENS', kind: amount, fallback: undefined },
  maxTotalChars: { variable: 'MCP_INSTRUCTIONS_MAX_TOTAL_LENGTH', kind: amount, fallback: undefined },
  maxTotalTokens: { variable: 'MCP_INSTRUCTIONS_MAX_TOTAL_TOKENS', kind: amount, fallback: undefined },
  firstTurnWaitMs: { variable: 'MCP_INSTRUCTIONS_FIRST_TURN_WAIT_MS', kind: wait, fallback: 5_000 },
  connectTimeoutMs: { variable: 'MCP_INSTRUCTIONS_CONNECT_TIMEOUT_MS', kind: delay, fallback: 30_000 },
  unavailableGraceMs: { variable: 'MCP_INSTRUCTIONS_UNAVAILABLE_GRACE_MS', kind: wait, fallback: 60_000 },
  protocol: { variable: 'MCP_INSTRUCTIONS_PROTOCOL', kind: protocol, fallback: 'auto' },
  disabled: { variable: 'MCP_INSTRUCTIONS_DISABLED', kind: flag, fallback: false },
  logLevel: { variable: 'MCP_INSTRUCTIONS_LOG_LEVEL', kind: logLevel, fallback: 'warn' },
};
