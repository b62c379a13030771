import type { Report } from '../cost/report.js';
import type { Observer } from '../observe/observer.js';

/**
 * Says in the log what a report says of a request.
 *
 * @param observer the log
 * @param report the report
 * @param isDelivered whether the request is one that a model answers
 */
export function emitReport(observer: Observer, report: Report, isDelivered: boolean): void {
  if (report.placed && isDelivered) {
    observer.emit('info', 'block-placed', {
      conversation: report.conversation,
      turn: report.turn,
      reason: report.reason,
      servers: report.servers.filter((server) => server.change !== null).map((server) => server.id),
      tokens: report.tokens.added,
    });
  }
  observer.emit('info', 'request-cost', {
    conversation: report.conversation,
    model: report.model,
    turn: report.turn,
    reason: report.reason,
    added: report.tokens.added,
    carried: report.tokens.carried,
    total: report.tokens.total,
    method: report.tokens.method,
  });
}
