import { isAbsent } from './failure.js';
import type { HandshakeWatch } from './handshake-watch.js';
import type { LinkKind } from './link.js';
import type { Protocol } from './server-options.js';
import type { Failure, FailureKind, ProcessTrace } from './server-state.js';

/** What `initialize` in place of discover says about a server's era: `timeout` and `failure` prove nothing. */
export type Doubt = 'proven' | 'timeout' | 'failure';

/** One handshake of an attempt. */
export interface Step {
  readonly kind: LinkKind;
  readonly mode: Protocol;
  /** Where an earlier handshake of the attempt failed: what that says about the server's era. */
  readonly doubt: Doubt | undefined;
  /** Where discover is not asked for because the server was found to be legacy before: the transport that it was found with. */
  readonly remembered: LinkKind | undefined;
}

/** Failures that another handshake would only repeat. */
const final: ReadonlySet<FailureKind> = new Set([
  'unauthorized',
  'too-large',
  'spawn-failed',
  'version-refused',
]);

/** Errors that say that the request is not known, or not in this form: method, parameters, message, version, session. */
const provingCodes: ReadonlySet<number> = new Set([-32_601, -32_602, -32_600, -32_022, -32_001]);

/** Statuses that say the same. Others are about the moment: too many requests, too early, too slow. */
const provingStatuses: ReadonlySet<number> = new Set([400, 404, 405, 406, 415, 422]);

/** Whether another handshake in the same attempt is of no use. */
export function isFinal(failure: Failure): boolean {
  return final.has(failure.kind) || (failure.kind === 'unreachable' && isAbsent(failure.code));
}

/**
 * What to try after a failed handshake, inside the same attempt: `initialize` where the question for the era broke the connection,
 * the older SSE transport where the address knows no Streamable HTTP, that question where `initialize` alone no longer works.
 *
 * @returns `undefined` when there is nothing else to try
 */
export function nextStep(step: Step, failure: Failure, watch: HandshakeWatch): Step | undefined {
  if (isFinal(failure) || typeof step.mode === 'object') return undefined;
  const isOtherTransport = step.kind === 'http' && (failure.status === 404 || failure.status === 405);
  if (step.remembered !== undefined) {
    if (watch.exchange('initialize') === 'answered') return undefined;
    if (isOtherTransport && step.remembered === 'sse') return { ...step, kind: 'sse' };
    const kind = step.kind === 'sse' ? 'http' : step.kind;
    return { kind, mode: 'auto', doubt: undefined, remembered: undefined };
  }
  const next = { mode: 'legacy', remembered: undefined } as const;
  const wasProbing = step.mode === 'auto' && watch.exchange('initialize') === 'unasked';
  if (step.kind === 'stdio') {
    // A server that is built to end at an unknown method; one that ends for another reason will do so again.
    if (!wasProbing || failure.kind !== 'exited') return undefined;
    return { ...next, kind: 'stdio', doubt: wasKilled(failure.process) ? 'failure' : 'proven' };
  }
  if (wasProbing)
    return { ...next, kind: step.kind, doubt: failure.kind === 'timed-out' ? 'timeout' : 'failure' };
  if (isOtherTransport) return { ...next, kind: 'sse', doubt: step.doubt ?? doubtAbout(step.kind, watch) };
  return undefined;
}

/** What an `initialize` over the link that was asked for discover says about the era. */
export function doubtAbout(kind: LinkKind, watch: HandshakeWatch): Doubt {
  const { code, status } = watch.discoverRefusal ?? {};
  if (code !== undefined) return provingCodes.has(code) ? 'proven' : 'failure';
  if (status !== undefined) return provingStatuses.has(status) ? 'proven' : 'failure';
  if (kind === 'stdio' && watch.discoverUnanswered) return 'timeout';
  return watch.exchange('server/discover') === 'answered' ? 'proven' : 'failure';
}

/** Ended by a signal, which a shell tells as an exit code above 128: out of memory, a crash, somebody's `kill`. */
function wasKilled(process: ProcessTrace | undefined): boolean {
  return process?.signal !== undefined || (process?.exitCode ?? 0) > 128;
}
