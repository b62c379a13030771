import type { Client, ClientCapabilities, Implementation } from '@modelcontextprotocol/client';
import type { CountingClient } from '../cost/exact-counter.js';
import type { Report } from '../cost/report.js';
import type { LoggerLike } from '../observe/logger.js';
import type { Protocol, ServerConfig } from '../servers/server-config.js';
import type { LedgerStore } from '../stores/ledger-store.js';
import type { TabledSettings } from './table.js';
import type { LogLevelSetting } from '../observe/logger.js';
import type { TrustPolicy } from './values.js';

export type { CountingClient } from '../cost/exact-counter.js';

/** What `createInjector` takes. Everything is optional; an option goes before its environment variable. */
export interface Options {
  /**
   * The servers to connect to, by the id the host gives each: the `mcpServers` that hosts have, or `servers` of `readConfigFile`. Connecting starts at once.
   *
   * @default none
   */
  readonly servers?: Readonly<Record<string, ServerConfig>> | ReadonlyMap<string, ServerConfig> | undefined;
  /**
   * Longest text kept of one server, in UTF-16 units, before the marker. From 1 to 2^53 - 1. A server's own `maxChars` goes first.
   *
   * @default 2048
   */
  readonly maxChars?: number | undefined;
  /**
   * Largest text kept of one server, in o200k tokens, beside `maxChars`. From 1 to 2^53 - 1.
   *
   * @default none
   */
  readonly maxTokens?: number | undefined;
  /**
   * Longest text kept of all servers together, in UTF-16 units, shared fairly. From 1 to 2^53 - 1.
   *
   * @default none
   */
  readonly maxTotalChars?: number | undefined;
  /**
   * Largest text kept of all servers together, in o200k tokens, shared fairly. From 1 to 2^53 - 1.
   *
   * @default none
   */
  readonly maxTotalTokens?: number | undefined;
  /**
   * How long the first requests wait for servers that are still connecting, in milliseconds, counted from the start of
   * connecting. From 0 (never wait) to 2,147,483,647.
   *
   * @default 5000
   */
  readonly firstTurnWaitMs?: number | undefined;
  /**
   * The whole time one attempt to connect may take, in milliseconds; progress does not extend it. From 1 to 2,147,483,647.
   *
   * @default 30000
   */
  readonly connectTimeoutMs?: number | undefined;
  /**
   * How long a lost server's instructions stay in force, in milliseconds. From 0 (withdrawn at once) to 2,147,483,647.
   *
   * @default 60000
   */
  readonly unavailableGraceMs?: number | undefined;
  /**
   * How the protocol era is negotiated; see {@link Protocol}. A server's own `protocol` goes first.
   *
   * @default 'auto'
   */
  readonly protocol?: Protocol | undefined;
  /**
   * Whether nothing new is told. What a conversation was told already stays in its requests.
   *
   * @default false
   */
  readonly disabled?: boolean | undefined;
  /**
   * The least severe level that the default logger writes. A `logger` that is passed in has its own rule.
   *
   * @default 'warn'
   */
  readonly logLevel?: LogLevelSetting | undefined;
  /**
   * A pino-shaped logger.
   *
   * @default pino, JSON lines to standard error
   */
  readonly logger?: LoggerLike | undefined;
  /**
   * Where conversations are kept between processes; a `Keyv` instance will do.
   *
   * @default this process's memory
   */
  readonly store?: LedgerStore | undefined;
  /**
   * The longest time one call of the store may delay a request, in milliseconds. From 1 to 2,147,483,647.
   *
   * @default 1000
   */
  readonly storeTimeoutMs?: number | undefined;
  /**
   * Called with the report of every request. What it throws is ignored.
   *
   * @default none
   */
  readonly onReport?: ((report: Report) => void) | undefined;
  /**
   * Counts tokens exactly, in the background.
   *
   * @default none: counts are estimated
   */
  readonly countWith?: CountingClient | undefined;
  /**
   * What must hold before a server's text is shown; see {@link TrustPolicy}.
   *
   * @default 'allow'
   */
  readonly policy?: TrustPolicy | undefined;
  /**
   * The hashes that were approved: the path of a pin file, or a record from a server's identity to the SHA-256 (64 hex digits).
   *
   * @default none
   */
  readonly pins?: string | Readonly<Record<string, string>> | undefined;
  /**
   * The name and version that clients made here give to servers.
   *
   * @default this package's
   */
  readonly clientInfo?: Implementation | undefined;
  /**
   * The capabilities that clients made here offer to servers.
   *
   * @default none
   */
  readonly capabilities?: ClientCapabilities | undefined;
  /**
   * Called with each client before it connects, so that the host can answer roots, sampling and elicitation.
   *
   * @default none
   */
  readonly onClient?: ((id: string, client: Client) => void) | undefined;
  /**
   * How often a server over HTTP is asked for its instructions again, in milliseconds, which also shows whether it is still there. From 1 to
   * 2,147,483,647.
   *
   * @default never: a loss shows when a request fails
   */
  readonly refreshMs?: number | undefined;
  /**
   * How many servers may be starting at the same moment. One that takes long gives its place away, so that it delays no other. From 1 to 1,000.
   *
   * @default 16
   */
  readonly maxParallel?: number | undefined;
}

/** {@link Options} with nothing left open: what the rest of the library reads. Frozen. */
export interface Settings extends TabledSettings, PassedInSettings {}

/** The settings that only an option can give. */
export interface PassedInSettings {
  readonly servers: Readonly<Record<string, ServerConfig>> | ReadonlyMap<string, ServerConfig>;
  readonly logger: LoggerLike | undefined;
  readonly store: LedgerStore | undefined;
  readonly storeTimeoutMs: number;
  readonly onReport: ((report: Report) => void) | undefined;
  readonly countWith: CountingClient | undefined;
  readonly policy: TrustPolicy;
  readonly pins: string | Readonly<Record<string, string>> | undefined;
  readonly clientInfo: Implementation | undefined;
  readonly capabilities: ClientCapabilities | undefined;
  readonly onClient: ((id: string, client: Client) => void) | undefined;
  readonly refreshMs: number | undefined;
  readonly maxParallel: number;
}
