import { isAbsent } from './failure.js';
import type { HandshakeWatch } from './handshake-watch.js';
import type { LinkKind } from './link.js';
import type { Protocol } from './server-options.js';
import type { Failure, FailureKind } from './server-state.js';

/** One handshake of an attempt. */
export interface Step {
  readonly kind: LinkKind;
  readonly mode: Protocol;
  /** Where an earlier handshake of the attempt failed: what that says about the server's era. */
  readonly doubt: 'proven' | 'timeout' | 'failure' | undefined;
}

/** Failures that another handshake would only repeat. */
const final: ReadonlySet<FailureKind> = new Set([
  'unauthorized',
  'too-large',
  'spawn-failed',
  'version-refused',
]);

/**
 * What to try after a failed handshake, inside the same attempt: `initialize` where the question for the era broke the connection,
 * the older SSE transport where the address knows no Streamable HTTP.
 *
 * @returns `undefined` when there is nothing else to try
 */
export function nextStep(step: Step, failure: Failure, watch: HandshakeWatch): Step | undefined {
  if (final.has(failure.kind) || typeof step.mode === 'object') return undefined;
  const wasProbing = step.mode === 'auto' && watch.exchange('initialize') === 'unasked';
  if (step.kind === 'stdio') {
    // A server that is built to end at an unknown method; one that ends for another reason will do so again.
    return wasProbing && failure.kind === 'exited'
      ? { kind: 'stdio', mode: 'legacy', doubt: 'proven' }
      : undefined;
  }
  if (failure.kind === 'unreachable' && isAbsent(failure.code)) return undefined;
  if (wasProbing) return { kind: step.kind, mode: 'legacy', doubt: probeDoubt(failure) };
  const isOtherTransport = failure.status === 404 || failure.status === 405;
  if (step.kind === 'http' && isOtherTransport)
    return { kind: 'sse', mode: 'legacy', doubt: step.doubt ?? 'proven' };
  return undefined;
}

function probeDoubt(failure: Failure): Step['doubt'] {
  return failure.kind === 'timed-out' ? 'timeout' : 'failure';
}
