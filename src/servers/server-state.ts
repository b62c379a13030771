import type { CheckedServer } from './server-options.js';

/** `modern`: `server/discover`, revision 2026-07-28 and later. `legacy`: the `initialize` handshake. */
export type Era = 'modern' | 'legacy';

/** Which reply a text came from; `cache` is a discover reply that its server said stays valid; `adopted` a host's own client. */
export type InstructionsSource = 'discover' | 'initialize' | 'cache' | 'adopted';

/** What one server said in its newest reply, and where it came from. */
export interface InstructionsRecord {
  /** As received: a string, `undefined` when the reply had none, or anything else a server may send. */
  readonly value: unknown;
  readonly source: InstructionsSource;
  readonly era: Era | undefined;
  readonly protocolVersion: string | undefined;
  /** Length of the text in UTF-16 units; 0 when it is not a string. */
  readonly chars: number;
  /** Hex SHA-256 of the well-formed text in UTF-8; `undefined` when it is not a string. */
  readonly sha256: string | undefined;
  /** When the reply came, in ms since 1970. */
  readonly receivedAt: number;
}

/** How the newest process of a stdio server ended, and the last it wrote to standard error. */
export interface ProcessTrace {
  readonly exitCode: number | undefined;
  readonly signal: string | undefined;
  /** How many lines on its standard output were no messages. */
  readonly ignoredLines: number;
  /**
   * The end of what it wrote to standard error, at most 8,192 units. May hold anything the server prints, credentials included, and so
   * is not enumerable: read it by name; JSON, a copy or a log of the whole has it not.
   */
  readonly stderrTail: string;
}

/** The kinds of reason for which a server is not connected. */
export type FailureKind =
  /** The program could not be started. */
  | 'spawn-failed'
  /** The process ended before the handshake was done. */
  | 'exited'
  /** The process ended soon after the handshake. */
  | 'exited-after-handshake'
  /** The total time for the attempt was over. */
  | 'timed-out'
  /** No connection to the address: refused, reset, name not found. */
  | 'unreachable'
  /** An HTTP status that is no answer. */
  | 'http-status'
  /** 401 or 403. */
  | 'unauthorized'
  /** A reply over the size limit. */
  | 'too-large'
  /** The server does not offer the pinned revision. */
  | 'version-refused'
  /** The server answered, but not as the protocol wants it. */
  | 'protocol-error'
  /** The connection was there and ended. */
  | 'connection-lost';

/** Why a server is not connected. */
export interface Failure {
  readonly kind: FailureKind;
  /** One line for people. Holds no header, no argument, no query of an address, and no text a server sent. */
  readonly message: string;
  /** The HTTP status, where there was one. */
  readonly status: number | undefined;
  /** The system's error code, such as `ECONNREFUSED`, where there was one. */
  readonly code: string | undefined;
  /** How long the server asked to be left alone, in ms, where it did. */
  readonly retryAfterMs: number | undefined;
  readonly process: ProcessTrace | undefined;
}

interface StateBase {
  /** Since when, in ms since 1970. */
  readonly since: number;
  /** Attempts since the last stable connection, the current one included; 0 before the first. */
  readonly attempt: number;
}

/** Not started: waiting for its turn. */
export interface IdleState extends StateBase {
  readonly state: 'idle';
}
/** An attempt is under way. `reason` is why the one before failed. */
export interface ConnectingState extends StateBase {
  readonly state: 'connecting';
  readonly reason: Failure | undefined;
}
/** The handshake is done and the connection stands. */
export interface ConnectedState extends StateBase {
  readonly state: 'connected';
  readonly era: Era;
  readonly protocolVersion: string;
  /** The transport in use; `sse` may have been fallen back to. */
  readonly transport: 'stdio' | 'http' | 'sse';
}
/** The server wants credentials. Nothing is retried until `finishAuth`, `reconnect` or a new configuration. */
export interface NeedsAuthState extends StateBase {
  readonly state: 'needs-auth';
  readonly reason: Failure;
}
/** Not reachable or lost; retried fast. */
export interface UnavailableState extends StateBase {
  readonly state: 'unavailable';
  readonly reason: Failure;
  /** When the next attempt starts, in ms since 1970. */
  readonly retryAt: number;
}
/** Connects and ends again, several times in a row. */
export interface CrashLoopingState extends StateBase {
  readonly state: 'crash-looping';
  readonly reason: Failure;
  /** When the next attempt starts, in ms since 1970; `undefined` while one is under way or on trial. */
  readonly retryAt: number | undefined;
  /** Whether a connection stands now, and becomes `connected` once it held for 30 s. */
  readonly onTrial: boolean;
}
/** The fast attempts are used up; tried again slowly, for ever. */
export interface FailedState extends StateBase {
  readonly state: 'failed';
  readonly reason: Failure;
  /** When the next attempt starts, in ms since 1970. */
  readonly retryAt: number;
}
/** Taken out, or the manager is closed. */
export interface RemovedState extends StateBase {
  readonly state: 'removed';
}

/** What is going on with one server; exactly one of these at any time. */
export type ServerState =
  | IdleState
  | ConnectingState
  | ConnectedState
  | NeedsAuthState
  | UnavailableState
  | CrashLoopingState
  | FailedState
  | RemovedState;

/** What a server calls itself, cleaned for display. Self-reported: never an identity. */
export interface ServerDisplayInfo {
  readonly name: string;
  readonly version: string;
}

/** One server as the rest of the library sees it. */
export interface ServerSnapshot {
  readonly id: string;
  readonly config: CheckedServer;
  readonly state: ServerState;
  /** The newest reply; its `value` is `undefined` when that reply had no instructions. `undefined` before the first. */
  readonly record: InstructionsRecord | undefined;
  /** Since when there is no connection, in ms since 1970. `undefined` while there is one, and while credentials are awaited. */
  readonly unavailableSince: number | undefined;
  /** The same moment in ms of the clock that is never set, to measure with. */
  readonly awaySince: number | undefined;
  /** Whether the first attempt ended, well or badly. */
  readonly settled: boolean;
  readonly serverInfo: ServerDisplayInfo | undefined;
}

/** One server for people and dashboards: plain JSON, without the text and without anything secret of the configuration. */
export interface ServerStatus {
  readonly id: string;
  readonly transport: 'stdio' | 'http' | 'sse';
  readonly required: boolean;
  readonly settled: boolean;
  readonly state: ServerState;
  readonly unavailableSince: number | undefined;
  readonly serverInfo: ServerDisplayInfo | undefined;
  /** The record without its value. */
  readonly instructions: Omit<InstructionsRecord, 'value'> | undefined;
}
