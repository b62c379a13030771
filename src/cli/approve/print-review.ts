import type { Review } from '../../injector.js';
import { asTold } from '../as-told.js';
import { inert } from '../inert.js';
import type { Style, Terminal } from '../terminal.js';

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
  const { id, state, mode, source, text } = review;
  const [style, said]: readonly [Style, string] =
    source === 'override'
      ? ['dim', "the file's own text in place of the server's"]
      : mode !== 'full'
        ? ['dim', `not shown to a model (${mode})`]
        : text === undefined || text === '' || state === undefined
          ? ['dim', 'no instructions']
          : STATES[state];
  terminal.out(`${terminal.paint('bold', inert(id))}  ${terminal.paint(style, said)}`);
}

/** Prints all that a person must see before trusting a text. Nothing that a server sent reaches the terminal as it came. */
export function printReview(review: Review, terminal: Terminal): void {
  printHeading(review, terminal);
  const row = (label: string, text: string, style?: Style): void => {
    const line = `  ${label.padEnd(13)} ${text}`;
    terminal.out(style === undefined ? line : terminal.paint(style, line));
  };
  row('source', inert(review.source ?? 'none'));
  row('sha256', review.sha256 ?? 'none');
  if (review.approvedSha256 !== undefined) row('approved', review.approvedSha256);
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
    for (const line of linesOf(told)) terminal.out(`  > ${shown(line, terminal)}`);
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
  for (const line of linesOf(text.slice(0, hiddenFrom))) terminal.out(`  | ${shown(line, terminal)}`);
  if (hiddenFrom >= text.length) return;
  const hidden = text.slice(hiddenFrom);
  terminal.out(terminal.paint('yellow', `  ~ hidden from a model from here on: ${hidden.length} characters`));
  for (const line of linesOf(hidden)) terminal.out(`  ~ ${shown(line, terminal)}`);
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
      const printed = inertLine(line);
      terminal.out(`    ${style === undefined ? printed : terminal.paint(style, printed)}`);
    }
  } else if (approvedText === undefined) {
    terminal.out('  The approved text is not known: of it only the hash was kept.');
  } else {
    terminal.out('  The approved text, with which it has little in common:');
    for (const line of linesOf(approvedText)) terminal.out(`  - ${shown(line, terminal)}`);
  }
}

function linesOf(text: string): string[] {
  return text.split(/\r?\n/u);
}

/** A line on which every character that would not be seen stands out as an escape. */
function shown(line: string, terminal: Terminal): string {
  return line
    .split(/([\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]+)/u)
    .map((part, index) =>
      index % 2 === 0 || /^\t+$/u.test(part) ? part : terminal.paint('red', inertLine(part)),
    )
    .join('');
}

/** Tabs are ordinary, and steer nothing. */
function inertLine(line: string): string {
  return line.split('\t').map(inert).join('\t');
}
