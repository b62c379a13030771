import { formatReportLine } from '../../cost/format-report.js';
import type { Report } from '../../cost/report.js';
import { recognise } from '../../render/recognise.js';
import type { Terminal } from '../terminal.js';
import type { AnswerBlock } from './messages-answer.js';
import type { RequestMessage } from './messages-endpoint.js';

/** Prints the newest message of a request exactly, and what it cost. */
export function printRequest(terminal: Terminal, newest: RequestMessage | undefined, report: Report): void {
  terminal.out('  Its newest user message, as sent:');
  for (const block of blocksOf(newest)) {
    const text = textOf(block);
    const isOurs = recognise(text) !== undefined;
    terminal.out(
      `    ${block.type}${isOurs ? terminal.paint('green', ', put there by the middleware') : ''}`,
    );
    for (const line of text.split('\n')) {
      const quoted = `      |${line === '' ? '' : ` ${line}`}`;
      terminal.out(isOurs ? terminal.paint('green', quoted) : quoted);
    }
  }
  // The share of the input is left out: this endpoint makes its usage up.
  const shown: Report = { ...report, tokens: { ...report.tokens, share: null } };
  terminal.out(`  ${terminal.paint('bold', 'Report:')} ${formatReportLine(shown)}`);
}

function blocksOf(message: RequestMessage | undefined): readonly AnswerBlock[] {
  const content = message?.content ?? [];
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

/** What a text block says, or the text of a tool's result. */
function textOf(block: AnswerBlock): string {
  const said = block['text'] ?? block['content'];
  return typeof said === 'string' ? said : JSON.stringify(said);
}
