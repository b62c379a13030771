import type { CountMethod } from '../../cost/count.js';
import { inert } from '../inert.js';
import { printFolded, printHash, printRow, TITLE_MARKS } from '../print-row.js';
import type { Style } from '../style.js';
import type { Terminal } from '../terminal.js';
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
  for (const warning of warnings) {
    printFolded(terminal, TITLE_MARKS, [{ text: `warning: ${inert(warning)}` }], 'yellow');
  }
  const failed = servers.filter(hasFailed).length;
  const connected = `${servers.length - failed} connected, ${failed} not`;
  const carried =
    block.chars === 0
      ? 'A first turn would carry no block.'
      : `A first turn would carry one block: ${characters(block.chars)}, ${block.tokens} tokens (${block.method}).`;
  terminal.out(`${servers.length} ${servers.length === 1 ? 'server' : 'servers'}: ${connected}. ${carried}`);
}

type PrintRow = (label: string, text: string, style?: Style) => void;

function printServer(server: InspectedServer, { block }: Inspection, terminal: Terminal): void {
  const row: PrintRow = (label, text, style) => printRow(terminal, label, text, style);
  printFolded(terminal, TITLE_MARKS, [
    { text: inert(server.id), style: 'bold' },
    { text: '  ' },
    { text: server.state, style: hasFailed(server) ? 'red' : 'green' },
  ]);
  if (server.serverInfo !== null) {
    row('calls itself', inert(`${server.serverInfo.name} ${server.serverInfo.version}`.trim()));
  }
  if (server.reason !== null) row('reason', inert(server.reason.message), 'red');
  if (server.era !== null) {
    row(
      'connection',
      inert(`${server.transport}, ${server.era}, ${server.protocolVersion ?? 'no revision'}`),
    );
  }
  if (server.source !== null) printInstructions(server, block.method, row);
  if (server.sha256 !== null)
    printHash(terminal, server.source === 'override' ? "server's text sha256" : 'sha256', server.sha256);
  if (server.flags.length > 0) row('flags', inert(server.flags.join(', ')), 'yellow');
  for (const warning of server.warnings) row('warning', inert(warning), 'yellow');
  if (server.other !== undefined) printOther(server.other, row);
}

function printInstructions(server: InspectedServer, method: CountMethod, row: PrintRow): void {
  const { source, chars, keptChars, lostChars } = server;
  row(
    'instructions',
    `${server.outcome}, from ${source === 'discover' ? HANDSHAKES.modern : inert(source ?? '')}`,
  );
  if (chars === 0) return;
  const whose = source === 'override' ? "of the file's own text" : 'received';
  // Of a text that no model is shown nothing is kept for one.
  const isForModel = server.outcome !== 'off';
  row('length', `${characters(chars)} ${whose}${isForModel ? `, ${keptChars} kept` : ''}`);
  if (!isForModel) return;
  if (lostChars > 0) row('cut', `${characters(lostChars)} over the limit are lost`, 'yellow');
  row('cost', `${server.tokens} tokens (${method})`);
}

function printOther(other: OtherHandshake, row: PrintRow): void {
  const name = HANDSHAKES[other.era];
  const text = other.chars === 0 ? 'no text' : characters(other.chars);
  if (!other.connected)
    row('other', `${name}: no connection: ${inert(other.reason?.message ?? 'no reason')}`);
  else if (!other.differs) row('other', `${name}: ${other.chars === 0 ? 'no text either' : 'the same text'}`);
  else row('other', `${name}: ANOTHER TEXT: ${text}, sha256 ${other.sha256 ?? 'none'}`, 'yellow');
}

function characters(count: number): string {
  return count === 1 ? '1 character' : `${count} characters`;
}
