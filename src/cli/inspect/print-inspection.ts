import { inert } from '../inert.js';
import type { Style, Terminal } from '../terminal.js';
import type { InspectedServer, Inspection, OtherHandshake } from './inspection.js';
import { hasFailed } from './look-at-servers.js';

const HANDSHAKES = { modern: 'server/discover', legacy: 'initialize' } as const;

/** Prints an inspection for people. Nothing that a server sent reaches the terminal as it came. */
export function printInspection(inspection: Inspection, terminal: Terminal): void {
  const { servers, block, warnings } = inspection;
  for (const server of servers) {
    printServer(server, inspection, terminal);
    terminal.out('');
  }
  for (const warning of warnings) terminal.out(terminal.paint('yellow', `warning: ${inert(warning)}`));
  const failed = servers.filter(hasFailed).length;
  const connected = `${servers.length - failed} connected, ${failed} not`;
  const carried =
    block.chars === 0
      ? 'A first turn would carry no block.'
      : `A first turn would carry one block: ${block.chars} characters, ${block.tokens} tokens (${block.method}).`;
  terminal.out(`${servers.length} ${servers.length === 1 ? 'server' : 'servers'}: ${connected}. ${carried}`);
}

function printServer(server: InspectedServer, { block }: Inspection, terminal: Terminal): void {
  const isUp = !hasFailed(server);
  const row = (label: string, text: string, style?: Style): void => {
    const line = `  ${label.padEnd(13)} ${text}`;
    terminal.out(style === undefined ? line : terminal.paint(style, line));
  };
  const state = terminal.paint(isUp ? 'green' : 'red', server.state);
  terminal.out(`${terminal.paint('bold', inert(server.id))}  ${state}`);
  if (server.serverInfo !== null) {
    row('calls itself', inert(`${server.serverInfo.name} ${server.serverInfo.version}`.trim()));
  }
  if (server.reason !== null)
    row('reason', failureLine(server.reason.message, server.reason.exitCode), 'red');
  if (server.era !== null) {
    row(
      'connection',
      inert(`${server.transport}, ${server.era} era, ${server.protocolVersion ?? 'no'} revision`),
    );
  }
  if (server.source !== null) {
    row('instructions', `${server.outcome}, from ${HANDSHAKE_OF(server.source)}`);
    if (server.chars > 0) {
      row(
        'length',
        `${server.chars} characters received, ${server.keptChars} kept, ${server.lostChars} lost`,
      );
      row('cost', `${server.tokens} tokens (${block.method})`);
    }
  }
  if (server.sha256 !== null) row('sha256', server.sha256);
  if (server.flags.length > 0) row('flags', inert(server.flags.join(', ')), 'yellow');
  if (server.lostChars > 0) row('warning', `the limit cut ${server.lostChars} characters off`, 'yellow');
  for (const warning of server.warnings) row('warning', inert(warning), 'yellow');
  if (server.other !== undefined) printOther(server.other, row);
}

function HANDSHAKE_OF(source: string): string {
  if (source === 'discover') return HANDSHAKES.modern;
  return inert(source);
}

function failureLine(message: string, exitCode: number | null): string {
  const line = inert(message);
  return exitCode === null || line.includes(String(exitCode)) ? line : `${line} (exit code ${exitCode})`;
}

function printOther(other: OtherHandshake, row: (label: string, text: string, style?: Style) => void): void {
  const name = HANDSHAKES[other.era];
  if (!other.connected) {
    row('other', `${name}: not offered`);
    return;
  }
  const text = other.chars === 0 ? 'no text' : `${other.chars} characters`;
  if (other.differs)
    row('other', `${name}: ANOTHER TEXT, ${text}, sha256 ${other.sha256 ?? 'none'}`, 'yellow');
  else row('other', `${name}: the same text`);
}
