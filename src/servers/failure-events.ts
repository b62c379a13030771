import type { EventFields, Observer } from '../observe/observer.js';
import type { Failure, InstructionsRecord } from './server-state.js';

/** The fields of an event about a failure. Its message is for people who ask, not for the log. */
export function failureFields(id: string, failure: Failure): EventFields {
  return {
    server: id,
    reason: failure.kind,
    code: failure.code,
    status: failure.status,
    exitCode: failure.process?.exitCode,
    signal: failure.process?.signal,
  };
}

/** Reports an attempt that failed. */
export function reportFailure(
  observer: Observer,
  id: string,
  failure: Failure,
  about: { readonly transport: string; readonly attempt: number; readonly retryMs: number | undefined },
): void {
  if (failure.kind !== 'unauthorized')
    return observer.emit('warn', 'server-failed', { ...failureFields(id, failure), ...about });
  const { transport } = about;
  const { kind, status } = failure;
  observer.emit('warn', 'server-needs-auth', { server: id, transport, reason: kind, status });
}

/** Reports a reply: what was received, and whether it is another text than before. */
export function reportRecord(
  observer: Observer,
  id: string,
  record: InstructionsRecord,
  changedFrom: InstructionsRecord | undefined,
): void {
  const { chars, sha256, source, era, protocolVersion } = record;
  if (record.value === undefined || record.value === '')
    observer.emit('debug', 'instructions-absent', { server: id, source, era });
  else
    observer.emit('info', 'instructions-received', {
      server: id,
      chars,
      sha256,
      source,
      era,
      version: protocolVersion,
    });
  if (changedFrom === undefined) return;
  observer.emit('info', 'instructions-changed', {
    server: id,
    chars,
    sha256,
    previousChars: changedFrom.chars,
    previousSha256: changedFrom.sha256,
  });
}
