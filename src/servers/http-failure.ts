import { errorCode, makeFailure } from './failure.js';
import type { FetchTrace } from './http-fetch.js';
import { RedirectError } from './http-redirect.js';
import type { Sdk } from './sdk.js';
import type { Failure } from './server-state.js';

/** Why connecting over HTTP failed, from the SDK's error and from what the requests met with. */
export function explainHttp(error: unknown, trace: FetchTrace, sdk: Sdk): Failure {
  if (trace.hasOverflowed) return tooLarge();
  const status = statusOf(error, sdk) ?? trace.status;
  if (isUnauthorized(error, sdk) || status === 401 || status === 403) return unauthorized(status);
  if (trace.hasFailed) return unreachable(trace.code ?? errorCode(error));
  if (status !== undefined && (status < 200 || status > 299))
    return makeFailure('http-status', `the server answered HTTP ${status}`, {
      status,
      retryAfterMs: trace.retryAfterMs,
    });
  return makeFailure('protocol-error', 'the server gave no usable answer', { status });
}

/** Whether an error says that credentials are missing or no longer good. */
export function isUnauthorized(error: unknown, sdk: Sdk): boolean {
  return sdk.UnauthorizedError.isInstance(error) || statusOf(error, sdk) === 401;
}

export function unauthorized(status = 401): Failure {
  return makeFailure('unauthorized', `the server wants credentials (HTTP ${status})`, { status });
}

function unreachable(code: string | undefined): Failure {
  const suffix = code === undefined ? '' : ` (${code})`;
  return makeFailure('unreachable', `the server could not be reached${suffix}`, { code });
}

/**
 * Why a server is gone that was there.
 *
 * @param error why asking it failed; `undefined` where it did not answer
 */
export function explainAbsence(error: unknown): Failure {
  if (error === undefined) return makeFailure('connection-lost', 'the server no longer answers');
  if (!(error instanceof RedirectError)) return unreachable(errorCode(error));
  return makeFailure('http-status', 'the server answers with a redirect elsewhere', { status: error.status });
}

export function tooLarge(): Failure {
  return makeFailure('too-large', 'a response was over 10 MiB');
}

function statusOf(error: unknown, sdk: Sdk): number | undefined {
  if (error instanceof RedirectError) return error.status;
  if (sdk.SdkHttpError.isInstance(error)) return error.status;
  if (sdk.SseError.isInstance(error)) return error.code;
  return undefined;
}
