import type { Report } from '../cost/report.js';
import type { Observer } from '../observe/observer.js';

/**
 * Says in the log what a report says of a request.
 *
 * @param observer the log
 * @param report the report
 */
export function emitReport(observer: Observer, report: Report): void {
  const { conversation, turn, model, recorded, reason, placed, pending, withheld, tokens } = report;
  if (reason === 'prefix-lost') observer.emit('error', 'prefix-lost', { conversation, turn, model });
  if (placed && recorded) {
    observer.emit('info', 'block-placed', {
      conversation,
      turn,
      model,
      reason,
      servers: report.servers.filter((server) => server.change !== null).map((server) => server.id),
      tokens: tokens.added,
    });
  }
  if (reason === 'no-place' || reason === 'turn-already-sent')
    observer.emit('debug', 'block-held', { conversation, turn, model, reason, pending });
  observer.emit('info', 'request-cost', {
    conversation,
    turn,
    model,
    reason,
    recorded,
    placed,
    added: tokens.added,
    carried: tokens.carried,
    wrapper: tokens.wrapper,
    total: tokens.total,
    low: tokens.low,
    high: tokens.high,
    method: tokens.method,
    calibration: tokens.calibration,
    notCounted: tokens.notCounted,
    sinceStart: tokens.sinceStart,
    pending,
    withheld,
  });
}
