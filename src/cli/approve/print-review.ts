import type { Review } from '../../injector.js';
import { asTold } from '../as-told.js';
import { UNSEEN_CLASS } from '../../instructions/unseen.js';
import type { Marks, Part } from '../fold.js';
import { inert } from '../inert.js';
import { printFolded, printHash, printRow, TITLE_MARKS } from '../print-row.js';
import type { Style } from '../style.js';
import type { Terminal } from '../terminal.js';

const UNSEEN_RUN = new RegExp(`(${UNSEEN_CLASS}+)`, 'u');
const TABS = /^\t+$/u;

const STATES: Readonly<Record<NonNullable<Review['state']>, readonly [Style, string]>> = {
  approved: ['green', 'approved'],
  new: ['yellow', 'NEW: nothing of this server was approved'],
  changed: ['red', 'CHANGED: another text was approved'],
  unknown: ['yellow', 'not known'],
  'pins-failed': ['red', 'the pin file cannot be used'],
  'pin-not-saved': ['red', 'the pin file cannot be written'],
};

/** Prints a line about a server of which there is nothing to approve, or no more. */
export function printHeading(review: Review, terminal: Terminal): void {
  const [style, said] = headingOf(review);
  printFolded(terminal, TITLE_MARKS, [
    { text: inert(review.id), style: 'bold' },
    { text: '  ' },
    { text: said, style },
  ]);
}

function headingOf({ state, mode, source, textState, chars }: Review): readonly [Style, string] {
  if (mode !== 'full') return ['dim', `not shown to a model (${mode})`];
  if (source === 'override') {
    return textState === 'admitted'
      ? ['dim', "the file's own text in place of the server's"]
      : ['yellow', "the file's own text in place of the server's, and nothing of that is shown to a model"];
  }
  if (state !== undefined) return STATES[state];
  const told = 'nothing is shown to a model';
  if (textState === 'invalid') return ['yellow', `instructions that are no text: ${told}`];
  if (textState === 'blank')
    return ['yellow', `${chars} characters, none of which a reader would see: ${told}`];
  if (textState === 'oversized') return ['red', `${chars} characters, too many to be looked at: ${told}`];
  return ['dim', 'no instructions'];
}

/** Prints all that a person must see before trusting a text. Nothing that a server sent reaches the terminal as it came. */
export function printReview(review: Review, terminal: Terminal): void {
  printHeading(review, terminal);
  const row = (label: string, text: string, style?: Style): void => printRow(terminal, label, text, style);
  row('source', inert(review.source ?? 'none'));
  printHash(terminal, 'sha256', review.sha256);
  if (review.approvedSha256 !== undefined) printHash(terminal, 'approved', review.approvedSha256);
  row('length', `${review.chars} characters received, ${review.keptChars} kept`);
  if (review.lostChars > 0) {
    row(
      'cut',
      `${review.lostChars} characters are hidden from a model (${review.limit ?? 'limit'})`,
      'yellow',
    );
  }
  row('cost', review.tokens === null ? 'not counted' : `${review.tokens} tokens (o200k)`);
  if (review.flags.length > 0) row('flags', flagsOf(review).join(', '), 'yellow');
  const text = review.text ?? '';
  terminal.out('  The whole text, as received:');
  printText(text, review.hiddenFrom ?? text.length, terminal);
  const told = asTold(review);
  // A text that was only cut is there already, up to the mark.
  if (!told.startsWith(keptOf(review))) {
    terminal.out('  As a model would be shown it:');
    printLines(terminal, '>', told);
  }
  printDiff(review, terminal);
}

function flagsOf({ flags, counts }: Review): string[] {
  const numbers = new Map<string, number>(Object.entries(counts));
  return flags.map((flag) => {
    const count = numbers.get(flag);
    return inert(count === undefined || count === 1 ? flag : `${flag} (${count})`);
  });
}

function printText(text: string, hiddenFrom: number, terminal: Terminal): void {
  printLines(terminal, '|', text.slice(0, hiddenFrom));
  if (hiddenFrom >= text.length) return;
  const hidden = text.slice(hiddenFrom);
  terminal.out(terminal.paint('yellow', `  ~ hidden from a model from here on: ${hidden.length} characters`));
  printLines(terminal, '~', hidden);
}

/** What would be shown if nothing but the limits changed it. */
function keptOf({ text = '', keptChars }: Review): string {
  return text.trim().replaceAll('\r\n', '\n').slice(0, keptChars);
}

function printDiff({ state, diff, approvedText }: Review, terminal: Terminal): void {
  if (state !== 'changed') return;
  if (diff !== undefined) {
    terminal.out('  What changed since it was approved:');
    for (const line of diff) {
      const style = line.startsWith('+') ? 'green' : line.startsWith('-') ? 'red' : undefined;
      const sign = line.slice(0, 1);
      const marks = { first: `    ${sign}`, again: `   :${sign}` };
      printFolded(terminal, marks, [{ text: inertLine(line.slice(1)) }], style);
    }
  } else if (approvedText === undefined) {
    terminal.out('  The approved text is not known: of it only the hash was kept.');
  } else {
    terminal.out('  The approved text, with which it has little in common:');
    printLines(terminal, '-', approvedText);
  }
}

/** Each line behind its mark; a row that goes on has a colon after it. */
function printLines(terminal: Terminal, mark: string, text: string): void {
  const marks: Marks = { first: `  ${mark} `, again: `  ${mark}:` };
  for (const line of text.split(/\r?\n/u)) printFolded(terminal, marks, partsOf(line));
}

/** A line on which every character that would not be seen stands out as an escape. */
function partsOf(line: string): Part[] {
  return line
    .split(UNSEEN_RUN)
    .map((part, index) =>
      index % 2 === 0 || TABS.test(part) ? { text: part } : { text: inertLine(part), style: 'red' },
    );
}

/** Tabs are ordinary, and steer nothing. */
function inertLine(line: string): string {
  return line.split('\t').map(inert).join('\t');
}
