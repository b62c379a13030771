import { InstructionsError } from '../errors.js';
import type { Clock } from '../servers/clock.js';
import type { ConnectionManager } from '../servers/connection-manager.js';

/** How long `ready()` waits, and what ends the wait. */
export interface ReadyOptions {
  /** In ms. @default until every server settled */
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
 * @throws InstructionsError `REQUIRED_SERVER` when a server marked `required` did not connect
 * @internal
 */
export async function whenReady(
  connections: Pick<ConnectionManager, 'whenSettled' | 'snapshots' | 'status'>,
  clock: Clock,
  { waitMs, signal }: ReadyOptions,
): Promise<Readiness> {
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
    if (status?.required === true && status.settled && status.state.state !== 'connected') {
      const why = 'reason' in status.state ? status.state.reason?.message : undefined;
      throw new InstructionsError(
        'REQUIRED_SERVER',
        `server "${id}": expected a connection, since it is required; it is ${status.state.state}${why === undefined ? '' : `: ${why}`}`,
      );
    }
  }
  return { settled: pending.length === 0, pending };
}
