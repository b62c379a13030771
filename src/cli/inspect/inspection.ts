import type { CountMethod } from '../../cost/count.js';
import type { ServerOutcome } from '../../cost/report.js';
import type { Era, ServerState, ServerStatus } from '../../servers/server-state.js';

/** Why a server is not connected. */
export interface InspectedFailure {
  readonly kind: string;
  readonly message: string;
  readonly status: number | null;
  readonly code: string | null;
  readonly exitCode: number | null;
  readonly signal: string | null;
}

/** What the other handshake gave. */
export interface OtherHandshake {
  /** The handshake that was tried. */
  readonly era: Era;
  /** Whether the server speaks it. */
  readonly connected: boolean;
  readonly reason: InspectedFailure | null;
  readonly protocolVersion: string | null;
  readonly source: string | null;
  readonly chars: number;
  readonly sha256: string | null;
  /** Whether its text is another one, or only one of the two handshakes has a text. */
  readonly differs: boolean;
}

/** One server as `inspect` shows it. Plain JSON; lengths in UTF-16 units. */
export interface InspectedServer {
  readonly id: string;
  readonly transport: ServerStatus['transport'];
  readonly state: ServerState['state'];
  readonly reason: InspectedFailure | null;
  /** What the server calls itself. */
  readonly serverInfo: { readonly name: string; readonly version: string } | null;
  readonly era: Era | null;
  readonly protocolVersion: string | null;
  /** Which reply the text came from. */
  readonly source: string | null;
  /** `told`: a first turn carries the text. */
  readonly outcome: ServerOutcome;
  /** As received. */
  readonly chars: number;
  readonly keptChars: number;
  readonly lostChars: number;
  /** Tokens of the server's section in the block. */
  readonly tokens: number;
  /** Of the text as received. */
  readonly sha256: string | null;
  readonly flags: readonly string[];
  readonly warnings: readonly string[];
  /** Absent unless it was asked for and could be tried. */
  readonly other?: OtherHandshake;
}

/** What `inspect` found. Plain JSON. */
export interface Inspection {
  /** By id, in code-unit order. */
  readonly servers: readonly InspectedServer[];
  /** The block that a first turn would carry. */
  readonly block: { readonly chars: number; readonly tokens: number; readonly method: CountMethod };
  /** Warnings that belong to no server. */
  readonly warnings: readonly string[];
}
