import { InstructionsError, notExpected } from '../errors.js';
import { showText } from '../instructions/show-text.js';
import { showValue } from '../instructions/show-value.js';
import type { Clock } from '../servers/clock.js';
import { maxDelayMs, wholeNumber } from '../options/kinds.js';
import type { ConnectionManager } from '../servers/connection-manager.js';
import type { ServerStatus } from '../servers/server-state.js';
import { kindOf } from '../values.js';

const wait = wholeNumber(0, maxDelayMs);

/** How long `ready()` waits, and what ends the wait. */
export interface ReadyOptions {
  /** In ms, 0 to 2,147,483,647. @default until every server settled */
  readonly waitMs?: number;
  /** Ends the wait when it aborts. */
  readonly signal?: AbortSignal;
}

/** The names of {@link ReadyOptions}. */
export const readyOptions: Readonly<Record<keyof ReadyOptions, true>> = { waitMs: true, signal: true };

/** What `ready()` found. */
export interface Readiness {
  /** Whether the first attempt of every server ended. */
  readonly settled: boolean;
  /** Ids of the servers that are still connecting. */
  readonly pending: readonly string[];
}

/** What `ready()` looks at. */
type Servers = Pick<ConnectionManager, 'whenSettled' | 'snapshots' | 'status' | 'on' | 'isClosed'>;

/**
 * Waits until the first attempt of every server ended, or the wait is over, or a required server's first attempt failed: others, however
 * slow, would not change that.
 *
 * @param connections the servers
 * @param clock measures the wait
 * @throws InstructionsError `REQUIRED_SERVER` when a server marked `required` did not connect, its `cause` the `Failure` in the server's
 *   state; `INVALID_OPTION` for a wait that is none; `CLOSED` when everything is closed, or is meanwhile and a required server is missing
 * @internal
 */
export async function whenReady(
  connections: Servers,
  clock: Clock,
  { waitMs, signal }: ReadyOptions,
): Promise<Readiness> {
  if (waitMs !== undefined && wait.fromValue(waitMs) === undefined) {
    throw notExpected('INVALID_OPTION', 'waitMs', wait.expected, showValue(waitMs));
  }
  if (signal !== undefined && !(signal instanceof AbortSignal)) {
    throw notExpected('INVALID_OPTION', 'signal', 'an AbortSignal', kindOf(signal));
  }
  if (connections.isClosed) throw isClosed();
  const stop = new AbortController();
  const timer = waitMs === undefined ? undefined : clock.setTimeout(() => stop.abort(), waitMs);
  const both = signal === undefined ? stop.signal : AbortSignal.any([stop.signal, signal]);
  const endEarly = (): void => {
    if (missing(connections).some(({ state }) => state.state !== 'connecting')) stop.abort();
  };
  const off = connections.on('settled', endEarly);
  endEarly();
  try {
    await connections.whenSettled(both);
  } catch {
    // Not an error of the caller's: what is missing is in the answer.
  } finally {
    off();
    if (timer !== undefined) clock.clearTimeout(timer);
  }
  const [status] = missing(connections);
  if (status !== undefined) throw connections.isClosed ? isClosed() : notThere(status);
  const pending = connections
    .snapshots()
    .filter((snapshot) => !snapshot.settled)
    .map((snapshot) => snapshot.id);
  return { settled: pending.length === 0, pending };
}

/** The required servers whose first attempt ended, and that have no connection. One on trial after a crash loop has one. */
function missing(connections: Servers): readonly ServerStatus[] {
  return connections
    .status()
    .filter(
      ({ required, settled, state }) =>
        required &&
        settled &&
        state.state !== 'connected' &&
        !(state.state === 'crash-looping' && state.onTrial),
    );
}

function isClosed(): InstructionsError {
  return new InstructionsError('CLOSED', 'ready: the connections are closed');
}

function notThere({ id, state }: ServerStatus): InstructionsError {
  const reason = 'reason' in state ? state.reason : undefined;
  const why = reason === undefined ? '' : `: ${reason.message}`;
  return new InstructionsError(
    'REQUIRED_SERVER',
    `server "${showText(id)}": expected a connection, since it is required; it is ${state.state}${why}`,
    reason === undefined ? {} : { cause: reason },
  );
}
