import type { Failure, FailureKind, ProcessTrace } from './server-state.js';

/** Makes a failure; the message must come from this library, never from a server. */
export function makeFailure(
  kind: FailureKind,
  message: string,
  details: Partial<Pick<Failure, 'status' | 'code' | 'process' | 'retryAfterMs'>> = {},
): Failure {
  return Object.freeze({
    kind,
    message,
    status: details.status,
    code: details.code,
    retryAfterMs: details.retryAfterMs,
    process: details.process,
  });
}

/** How a process ended, in words. */
export function describeExit(trace: ProcessTrace | undefined): string {
  if (trace?.signal !== undefined) return `ended by ${trace.signal}`;
  if (trace?.exitCode !== undefined) return `exit code ${trace.exitCode}`;
  return 'no exit code';
}

/**
 * The system's error code in an error or in one of its causes: `ECONNREFUSED`, `ENOTFOUND`, `ENOENT`. Messages are not looked
 * at: they may hold what a server sent.
 */
export function errorCode(error: unknown): string | undefined {
  let current = error;
  for (let depth = 0; depth < 8 && typeof current === 'object' && current !== null; depth += 1) {
    const code: unknown = Reflect.get(current, 'code');
    if (
      typeof code === 'string' &&
      /^(?:E[A-Z_]{2,30}|UND_ERR_[A-Z_]{2,40})$/u.test(code) &&
      code !== 'ERA_NEGOTIATION_FAILED'
    )
      return code;
    const errors: unknown = Reflect.get(current, 'errors');
    current = Array.isArray(errors) && errors.length > 0 ? errors[0] : Reflect.get(current, 'cause');
  }
  return undefined;
}

/** Codes that say nothing is listening there, so that asking in another way is of no use. */
const absent: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EAI_NONAME',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Whether an error code means that no server was reached at all. */
export function isAbsent(code: string | undefined): boolean {
  return code !== undefined && absent.has(code);
}

/** The longest time that a server may ask to be left alone, in ms. */
const longestRetryAfterMs = 3_600_000;

/**
 * What a `Retry-After` header asks for, in ms.
 *
 * @param header seconds, or a date
 * @param now in ms since 1970
 */
export function readRetryAfter(header: string | null, now: number): number | undefined {
  const text = header?.trim() ?? '';
  const isDate = text.endsWith(' GMT');
  const ms = isDate ? Date.parse(text) - now : /^\d+$/u.test(text) ? Number(text) * 1_000 : Number.NaN;
  // So many digits that they are no number any more are a long time.
  return ms > 0 ? Math.min(ms, longestRetryAfterMs) : undefined;
}
