import type { AuthProvider, FetchLike, OAuthClientProvider } from '@modelcontextprotocol/client';

/**
 * How the protocol era is chosen: `auto` asks `server/discover` and falls back to `initialize`, `legacy` uses
 * `initialize` only, `{ pin }` accepts exactly that revision (a date such as `2026-07-28`) and nothing else.
 */
export type Protocol = 'auto' | 'legacy' | { readonly pin: string };

/** What is done with a server's text: shown to the model, kept for people to read, or ignored. */
export type InstructionsMode = 'full' | 'user-only' | 'off';

/** Options that a configured server and an adopted source have in common. */
export interface InstructionsOptions {
  /**
   * `true` shows the server's text, `false` ignores it, a string replaces it, an object says more.
   *
   * @default true
   */
  readonly instructions?:
    | boolean
    | string
    | {
        /** @default 'full' */
        readonly mode?: InstructionsMode;
        /** Cap in UTF-16 units; wins over `maxChars` beside it. A positive whole number. */
        readonly maxChars?: number;
        /** Cap in o200k tokens; wins over `maxTokens` beside it. A positive whole number. */
        readonly maxTokens?: number;
      };
  /** Cap of this server's text in UTF-16 units. A positive whole number. Default: the injector's `maxChars`. */
  readonly maxChars?: number;
  /** Cap of this server's text in o200k tokens. A positive whole number. Default: none. */
  readonly maxTokens?: number;
}

/** Options of every configured server, whatever its transport. */
export interface CommonServerOptions extends InstructionsOptions {
  /** Overrides the manager's `protocol` for this server. */
  readonly protocol?: Protocol;
  /** Total time for one attempt to connect, in ms, 1 to 2,147,483,647. Default: the manager's `connectTimeoutMs`. */
  readonly connectTimeoutMs?: number;
  /**
   * Whether `ready()` rejects when this server does not connect.
   *
   * @default false
   */
  readonly required?: boolean;
  /**
   * Whether the server is switched off: `true` treats it as if it were not there.
   *
   * @default false
   */
  readonly disabled?: boolean;
}

/** A server that is started as a child process and speaks over its standard input and output. */
export interface StdioServerConfig extends CommonServerOptions {
  /** Optional: a `command` says it already. */
  readonly type?: 'stdio';
  /** The program to start. */
  readonly command: string;
  /** @default none */
  readonly args?: readonly string[];
  /** Added to the few variables that are inherited (HOME, PATH, ...). `undefined` values are left out. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Working directory. Default: the host's. */
  readonly cwd?: string;
}

/** A server that is reached over HTTP. */
export interface HttpServerConfig extends CommonServerOptions {
  /**
   * `sse` is the transport before Streamable HTTP, always `initialize`. The other names all mean Streamable HTTP.
   *
   * @default 'http'
   */
  readonly type?: 'http' | 'streamable-http' | 'streamableHttp' | 'sse';
  /** An `http:` or `https:` address. */
  readonly url: string | URL;
  /** Sent with every request. `undefined` values are left out. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Passed on to the SDK's transport. A 401 that it cannot cure makes the server `needs-auth`. */
  readonly authProvider?: AuthProvider | OAuthClientProvider;
  /** Used for every request in place of the global `fetch`. */
  readonly fetch?: FetchLike;
}

/** One entry of `mcpServers`. */
export type ServerConfig = StdioServerConfig | HttpServerConfig;

/** The policy part of a configuration, in one form. */
export interface InstructionsPolicy {
  readonly mode: InstructionsMode;
  /** The host's text in place of the server's. */
  readonly override: string | undefined;
  /** UTF-16 units. */
  readonly maxChars: number | undefined;
  /** o200k tokens. */
  readonly maxTokens: number | undefined;
}

/** What every checked configuration holds. */
export interface CheckedCommon {
  readonly policy: InstructionsPolicy;
  readonly protocol: Protocol | undefined;
  readonly connectTimeoutMs: number | undefined;
  readonly required: boolean;
}

/** A checked stdio configuration. */
export interface CheckedStdioServer extends CheckedCommon {
  readonly transport: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
  readonly env: ReadonlyMap<string, string>;
  readonly cwd: string | undefined;
}

/** A checked HTTP or SSE configuration. */
export interface CheckedHttpServer extends CheckedCommon {
  readonly transport: 'http' | 'sse';
  readonly url: string;
  readonly headers: ReadonlyMap<string, string>;
  readonly authProvider: AuthProvider | OAuthClientProvider | undefined;
  readonly fetch: FetchLike | undefined;
}

/** A configuration after checking: every field checked, one form for each meaning. */
export type CheckedServer = CheckedStdioServer | CheckedHttpServer;
