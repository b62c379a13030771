import { notExpected } from '../errors.js';
import { showText } from '../instructions/show-text.js';
import { isRecord, kindOf } from '../values.js';
import type { Report, ServerReport } from './report.js';

/**
 * A report on one line, for a log that people read.
 *
 * @param report the request's report
 * @throws InstructionsError `INVALID_OPTION` for anything but a report, such as the `lastReport` of a conversation without a request
 * @returns such as `chat-42 turn 3: 731 tokens of instructions (+120 new, calibrated 657-805, 4 % of input): docs 402, tickets 210`
 */
export function formatReportLine(report: Report): string {
  checkReport('formatReportLine', report);
  const { tokens } = report;
  const notes = [
    tokens.added > 0 ? `+${tokens.added} new` : 'nothing new',
    describeMethod(report),
    ...(typeof tokens.share === 'number' ? [`${percent(tokens.share)} of input`] : []),
  ];
  const servers = report.servers
    .filter((server) => server.tokens > 0)
    .map((server) => `${showText(server.id)} ${server.tokens}`);
  const waiting =
    report.pending.length > 0 ? `; pending: ${report.pending.map((id) => showText(id)).join(', ')}` : '';
  const list = servers.length > 0 ? `: ${servers.join(', ')}` : '';
  return `${showText(report.conversation)} turn ${report.turn}: ${tokens.total} tokens of instructions (${notes.join(', ')})${list}${waiting}`;
}

/**
 * A report as a table for people: a row for each server, one for the wrapper, one for the total.
 *
 * @param report the request's report
 * @throws InstructionsError `INVALID_OPTION` for anything but a report
 * @returns lines of text, without one at the end
 */
export function formatReportTable(report: Report): string {
  checkReport('formatReportTable', report);
  const { tokens } = report;
  const rows = [
    ['server', 'outcome', 'change', 'sent chars', 'tokens'],
    ...report.servers.map((server) => [
      showText(server.id),
      server.outcome,
      server.change ?? '',
      String(server.sentChars),
      String(server.tokens),
    ]),
    ['wrapper', '', '', '', String(tokens.wrapper)],
    ['total', '', '', String(sentChars(report.servers)), String(tokens.total)],
  ];
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const isNumber = (column: number): boolean => column >= 3;
  const lines = rows.map((row) =>
    row
      .map((cell, column) =>
        isNumber(column) ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!),
      )
      .join('  ')
      .trimEnd(),
  );
  const share = typeof tokens.share === 'number' ? `, ${percent(tokens.share)} of the input` : '';
  return [
    ...lines,
    `${tokens.added} new, ${tokens.carried} carried; ${describeMethod(report)}${share}; ${tokens.sinceStart} since the start`,
  ].join('\n');
}

function isServerReport(value: unknown): boolean {
  return isRecord(value) && typeof value['id'] === 'string' && typeof value['outcome'] === 'string';
}

function checkReport(call: string, report: unknown): void {
  const isReport =
    isRecord(report) &&
    typeof report['conversation'] === 'string' &&
    isRecord(report['tokens']) &&
    Array.isArray(report['pending']) &&
    Array.isArray(report['servers']) &&
    report['servers'].every(isServerReport);
  if (!isReport)
    throw notExpected('INVALID_OPTION', `${call}: report`, 'a report of a request', kindOf(report));
}

function describeMethod({ tokens }: Report): string {
  const band = tokens.low === tokens.high ? '' : ` ${tokens.low}-${tokens.high}`;
  const reason =
    tokens.notCounted === null || tokens.notCounted === 'pending'
      ? ''
      : `, not counted: ${tokens.notCounted}`;
  return `${tokens.method}${band}${reason}`;
}

function sentChars(servers: readonly ServerReport[]): number {
  return servers.reduce((sum, server) => sum + server.sentChars, 0);
}

function percent(share: number): string {
  const value = share * 100;
  return `${value < 10 ? Number(value.toFixed(1)) : Math.round(value)} %`;
}
