import type { Deadline } from './deadline.js';
import type { CachedDiscover } from './discover-cache.js';
import { type Handshake, type HandshakeOptions, shakeHands } from './handshake.js';
import { HandshakeWatch, type RawReply } from './handshake-watch.js';
import type { Link, LinkKind } from './link.js';
import { type Doubt, doubtAbout, isFinal, nextStep, type Step } from './next-step.js';
import { makeFailure } from './failure.js';
import type { Sdk } from './sdk.js';
import type { Protocol } from './server-options.js';
import type { Failure } from './server-state.js';

const probeMs: Readonly<Record<LinkKind, number>> = { stdio: 3_000, http: 5_000, sse: 5_000 };

/** One attempt to connect, which may take several handshakes. */
export interface AttemptOptions extends Pick<HandshakeOptions, 'clientInfo' | 'capabilities' | 'onClient'> {
  /** Called for every reply that may hold instructions, later ones included, with the link that it came over. */
  readonly onReply: (reply: RawReply, link: Link) => void;
  readonly kind: LinkKind;
  readonly protocol: Protocol;
  /** The transport with which the server was found to be legacy before; `undefined` where it must be asked. */
  readonly remembered: LinkKind | undefined;
  /** The total time of this attempt, in ms, for the probe's share of it. */
  readonly totalMs: number;
  readonly deadline: Deadline;
  readonly sdk: Sdk;
  readonly openLink: (kind: LinkKind) => Promise<Link>;
  /** A discover result that is still valid. */
  readonly known: CachedDiscover | undefined;
}

/** A handshake with what the attempt learned about the era. */
export interface Connected extends Handshake {
  /** Why `initialize` was used although discover was to be tried first; `undefined` where it was not. */
  readonly fallback: Doubt | undefined;
  /** When the reply came, in ms since 1970, where it is an earlier one that is still valid. */
  readonly cachedAt: number | undefined;
}

/** An attempt that failed. The failure is known at once; `closed` resolves when nothing of the attempt is left. */
export class AttemptError extends Error {
  readonly failure: Failure;
  readonly closed: Promise<void>;
  /** The link that failed, for an authorization that goes on later. */
  readonly link: Link | undefined;

  constructor(failure: Failure, closed: Promise<void>, cause: unknown, link?: Link) {
    super(failure.message, { cause });
    this.failure = failure;
    this.closed = closed;
    this.link = link;
  }
}

/**
 * Connects: over one link, or over a second one where the first handshake was broken by the question for the era.
 *
 * @throws AttemptError
 */
export async function connectServer(options: AttemptOptions): Promise<Connected> {
  const { deadline, remembered, protocol } = options;
  const isRemembered = remembered !== undefined && protocol === 'auto';
  let step: Step = {
    kind: options.kind,
    mode: isRemembered ? 'legacy' : protocol,
    doubt: undefined,
    remembered: isRemembered ? remembered : undefined,
  };
  let { known: valid } = options;
  // The older transport knows the older handshake only; asking it for another would be answered by silence.
  if (options.kind === 'sse' && typeof protocol === 'object')
    throw new AttemptError(versionRefused(protocol.pin, {}), Promise.resolve(), undefined);
  let first: Failure | undefined;
  for (;;) {
    const known = step.mode === 'auto' ? valid : undefined;
    const link = await options.openLink(step.kind);
    const watch = new HandshakeWatch(link.transport, (reply) => options.onReply(reply, link));
    link.onRenewed = (result) => options.onReply(renewedReply(result), link);
    try {
      const handshake = await shakeHands(link, watch, options.sdk, {
        ...options,
        mode: step.mode,
        known: known?.discover,
        probeMs: probeTime(step, options.totalMs),
      });
      return {
        ...handshake,
        fallback: fallbackOf(protocol, step, handshake),
        cachedAt: watch.last === undefined ? known?.receivedAt : undefined,
      };
    } catch (error) {
      const failure = await explain(error, link, step, watch, options);
      const closed = link.close();
      const next = deadline.signal.aborted ? undefined : stepAfter(step, failure, watch, known !== undefined);
      const told = knowsTransport(step, failure, watch, options.kind) ? failure : (first ?? failure);
      if (next === undefined) throw new AttemptError(told, closed, error, link);
      first ??= failure;
      valid = undefined;
      await deadline.race(closed).catch((reason: unknown) => {
        throw new AttemptError(timedOut(options.totalMs, failure), closed, reason);
      });
      step = next;
    }
  }
}

/** What a fallback transport says about an address that does not know it is of no use to anybody. */
function knowsTransport(step: Step, failure: Failure, watch: HandshakeWatch, wanted: LinkKind): boolean {
  if (step.kind === wanted || failure.kind === 'unauthorized') return true;
  return watch.exchange('initialize') !== 'unasked';
}

/** A server that did not confirm a text from before is asked for the text. */
function stepAfter(step: Step, failure: Failure, watch: HandshakeWatch, wasKnown: boolean): Step | undefined {
  if (!wasKnown) return nextStep(step, failure, watch);
  return isFinal(failure) ? undefined : step;
}

function renewedReply(result: object): RawReply {
  return { method: 'initialize', instructions: Reflect.get(result, 'instructions'), result };
}

/** A pinned version has nothing to fall back to, so its probe may take all the time there is. */
function probeTime(step: Step, totalMs: number): number {
  if (typeof step.mode === 'object') return totalMs;
  return Math.max(1, Math.min(probeMs[step.kind], Math.floor(totalMs / 2)));
}

function fallbackOf(protocol: Protocol, step: Step, handshake: Handshake): Doubt | undefined {
  if (protocol !== 'auto' || handshake.era !== 'legacy' || step.remembered !== undefined) return undefined;
  return step.doubt ?? doubtAbout(step.kind, handshake.watch);
}

async function explain(
  error: unknown,
  link: Link,
  step: Step,
  watch: HandshakeWatch,
  options: AttemptOptions,
): Promise<Failure> {
  const failure = await link.explain(error);
  // A status that came says why, also where the rest of the answer never does.
  const isKnown = failure.kind === 'unauthorized' || failure.kind === 'http-status';
  if (options.deadline.expired) return isKnown ? failure : timedOut(options.totalMs, failure);
  const { process, status } = failure;
  const isProbeTimeout =
    options.sdk.SdkError.isInstance(error) && error.code === options.sdk.SdkErrorCode.RequestTimeout;
  if (isProbeTimeout && !isKnown)
    return makeFailure('timed-out', 'no answer to `server/discover` in time', { process });
  const method = watch.exchange('initialize') === 'unasked' ? 'server/discover' : 'initialize';
  const exchange = watch.exchange(method);
  if (failure.kind === 'exited' && exchange === 'answered')
    return makeFailure('exited-after-handshake', failure.message, { process });
  const isAnswer = exchange === 'answered' || exchange === 'refused' || isRefusal(failure);
  if (typeof step.mode === 'object' && method === 'server/discover' && isAnswer)
    return versionRefused(step.mode.pin, { process, status });
  if (failure.kind === 'protocol-error' && options.sdk.ProtocolError.isInstance(error))
    return makeFailure('protocol-error', `the server refused \`${method}\` (error ${error.code})`, {
      process,
      status,
    });
  return failure;
}

function versionRefused(pin: string, details: Partial<Failure>): Failure {
  return makeFailure('version-refused', `the server does not offer revision ${pin}`, details);
}

/** HTTP servers without discover answer 4xx. */
function isRefusal(failure: Failure): boolean {
  return failure.kind === 'http-status' && failure.status !== undefined && failure.status < 500;
}

function timedOut(totalMs: number, failure: Failure): Failure {
  return makeFailure('timed-out', `no connection within ${totalMs} ms`, failure);
}
