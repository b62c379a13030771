import { InstructionsError } from '../errors.js';
import type { Clock } from '../servers/clock.js';
import { maxDelayMs, wholeNumber } from '../options/kinds.js';
import { showType, showValue } from '../options/show-value.js';
import type { ConnectionManager } from '../servers/connection-manager.js';
import type { ServerState } from '../servers/server-state.js';

const wait = wholeNumber(0, maxDelayMs);

function isOnTrial(state: ServerState | undefined): boolean {
  return state?.state === 'crash-looping' && state.onTrial;
}

/** How long `ready()` waits, and what ends the wait. */
export interface ReadyOptions {
  /** In ms, 0 to 2,147,483,647. @default until every server settled */
  readonly waitMs?: number;
  /** Ends the wait when it aborts. */
  readonly signal?: AbortSignal;
}

/** What `ready()` found. */
export interface Readiness {
  /** Whether the first attempt of every server ended. */
  readonly settled: boolean;
  /** Ids of the servers that are still connecting. */
  readonly pending: readonly string[];
}

/**
 * Waits until the first attempt of every server ended, or the wait is over.
 *
 * @param connections the servers
 * @param clock measures the wait
 * @throws InstructionsError `REQUIRED_SERVER` when a server marked `required` did not connect; `INVALID_OPTION` for a wait that
 *   is none
 * @internal
 */
export async function whenReady(
  connections: Pick<ConnectionManager, 'whenSettled' | 'snapshots' | 'status'>,
  clock: Clock,
  { waitMs, signal }: ReadyOptions,
): Promise<Readiness> {
  if (waitMs !== undefined && wait.fromValue(waitMs) === undefined) {
    throw new InstructionsError(
      'INVALID_OPTION',
      `waitMs: expected ${wait.expected}, came ${showValue(waitMs)}`,
    );
  }
  if (signal !== undefined && !(signal instanceof AbortSignal)) {
    throw new InstructionsError(
      'INVALID_OPTION',
      `signal: expected an AbortSignal, came ${showType(signal)}`,
    );
  }
  const stop = new AbortController();
  const timer = waitMs === undefined ? undefined : clock.setTimeout(() => stop.abort(), waitMs);
  const both = signal === undefined ? stop.signal : AbortSignal.any([stop.signal, signal]);
  try {
    await connections.whenSettled(both);
  } catch {
    // Not an error of the caller's: what is missing is in the answer.
  } finally {
    if (timer !== undefined) clock.clearTimeout(timer);
  }
  const snapshots = connections.snapshots();
  const pending = snapshots.filter((snapshot) => !snapshot.settled).map((snapshot) => snapshot.id);
  for (const { id } of snapshots) {
    const status = connections.status(id);
    // One on trial after a crash loop has a connection, too.
    const isConnected = status?.state.state === 'connected' || isOnTrial(status?.state);
    if (status?.required === true && status.settled && !isConnected) {
      const why = 'reason' in status.state ? status.state.reason?.message : undefined;
      throw new InstructionsError(
        'REQUIRED_SERVER',
        `server "${id}": expected a connection, since it is required; it is ${status.state.state}${why === undefined ? '' : `: ${why}`}`,
      );
    }
  }
  return { settled: pending.length === 0, pending };
}
