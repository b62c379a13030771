import type { CountMethod, NotCounted } from './count.js';

/** Why the newest user message carries a new block, or none. */
export type ReportReason =
  /** There was news, and it went into the newest user message. */
  | 'placed'
  /** Nothing changed since the model was last told. */
  | 'no-news'
  /** This user message was sent before; it carries what it carried then, and the news waits for the next one. */
  | 'turn-already-sent'
  /** The history was cut or edited, and what went with it was told once more. */
  | 'history-changed'
  /** No message of the request can take a block. */
  | 'no-place'
  /** The request continues a thread that is not known here; everything was told. */
  | 'thread-unknown'
  /** No record of the conversation could be read: the request went out as it came. */
  | 'prefix-lost'
  /** Switched off; blocks that were told before stay in place. */
  | 'disabled';

/** What became of one server's instructions in this request. */
export type ServerOutcome =
  /** The model has been told what is in force, in this request or before. */
  | 'told'
  /** Not known yet, or news that waits for the next user message. */
  | 'pending'
  /** The server sent none. */
  | 'absent'
  /** Only white space or invisible characters. */
  | 'blank'
  /** Not a string. */
  | 'invalid'
  /** Over the size limit. */
  | 'oversized'
  /** Not approved. */
  | 'withheld'
  /** The host switched this server's instructions off. */
  | 'off'
  /** The server is outside this conversation's audience. */
  | 'excluded'
  /** The model was told that the instructions no longer apply. */
  | 'withdrawn';

/** The news about one server that this request's new block tells. */
export type ServerChange = 'added' | 'changed' | 'restored' | 'removed';

/** A setting that decides how much of a text is shown. */
export type InstructionsLimit = 'maxChars' | 'maxTokens' | 'maxTotalChars' | 'maxTotalTokens';

/** One server in a {@link Report}. */
export interface ServerReport {
  /** The name the host gave the server. */
  readonly id: string;
  /** State of the connection when the request was planned; `adopted` for a source that the host owns. */
  readonly connection:
    | 'idle'
    | 'connecting'
    | 'connected'
    | 'needs-auth'
    | 'unavailable'
    | 'crash-looping'
    | 'failed'
    | 'removed'
    | 'adopted';
  /** What became of its instructions. */
  readonly outcome: ServerOutcome;
  /** What this request's new block says about the server; `null` when nothing. */
  readonly change: ServerChange | null;
  /** Which reply or setting the text came from, such as `discover`, `initialize`, `adopted` or `override`; `null` when none came. */
  readonly source: string | null;
  /** Length of the instructions as received, in UTF-16 units. */
  readonly chars: number;
  /** How much of the cleaned text was kept, in UTF-16 units. */
  readonly keptChars: number;
  /** How much the caps dropped, in UTF-16 units. */
  readonly lostChars: number;
  /** Length of what this request's blocks say of this server, new and carried, in UTF-16 units. */
  readonly sentChars: number;
  /** What the host chose for the server's text: shown, kept for people to read, or ignored. */
  readonly mode: 'full' | 'user-only' | 'off';
  /** The setting that decided how much was kept, when not all of it was; else `null`. */
  readonly limit: InstructionsLimit | null;
  /** What was noticed about the text, such as `role-marker`, or about the id, such as `alike-id`. */
  readonly flags: readonly string[];
  /** Tokens of what this request's blocks say of this server, new and carried. */
  readonly tokens: number;
}

/** The tokens of the blocks in one request. */
export interface TokenReport {
  /** Of the block that is new in this request. */
  readonly added: number;
  /** Of the blocks that earlier turns already had. */
  readonly carried: number;
  /** The part of `total` that belongs to no server: the frame, headings and sentences. */
  readonly wrapper: number;
  /** `added` + `carried`; also the servers' tokens + `wrapper`. */
  readonly total: number;
  /** How the figures were made: the weakest method among their parts. Shares of a counted block are estimates, scaled to it. */
  readonly method: CountMethod;
  /** Name of the calibration behind the figures, such as `claude-5/2026-11`; `null` without one. */
  readonly calibration: string | null;
  /** Lower end of the band in which `total` should lie. */
  readonly low: number;
  /** Upper end of that band. */
  readonly high: number;
  /** Why the total is not an exact count, where `countWith` asks for one; else `null`. */
  readonly notCounted: NotCounted | null;
  /** `total` as a share of the request's input, 0 to 1; `null` until its usage is known. */
  readonly share: number | null;
  /** Tokens sent for instructions since the start of the conversation, over all its requests in this process. */
  readonly sinceStart: number;
}

/** What one request carried, for which server, and at what cost. Plain JSON. */
export interface Report {
  /** The conversation's id. */
  readonly conversation: string;
  /** The request's model; `null` when it names none. */
  readonly model: string | null;
  /** The number of user messages in the request; 0 when it has none. */
  readonly turn: number;
  /** Whether the request counts as one that a model answers: `false` with `record: false`, as for `count_tokens`. */
  readonly recorded: boolean;
  /** Whether the newest user message carries a block that is new in this request. */
  readonly placed: boolean;
  /** Why there is a new block, or none. */
  readonly reason: ReportReason;
  /** Every server that was considered, by id in code-unit order. */
  readonly servers: readonly ServerReport[];
  /** What the blocks of the request cost. */
  readonly tokens: TokenReport;
  /** Ids of the servers whose outcome is `pending`. */
  readonly pending: readonly string[];
  /** Ids of the servers whose outcome is `withheld`. */
  readonly withheld: readonly string[];
}
