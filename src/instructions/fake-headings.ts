import { CodeLines } from './code-lines.js';

const HOST_HEADING = /^mcp servers? instructions?$/u;
const COULD_BE_HEADING = /^ {0,3}(?:#{1,2}[ \t]|[=-]+[ \t]*$)/mu;
const ATX = /^ {0,3}(#{1,2})[ \t]+(.*)$/u;
const UNDERLINE = /^ {0,3}(?:(=+)|-+)[ \t]*$/u;
/** Reads like a server's id: one word that starts small or holds what no word holds. */
const ID_LIKE = /^(?=[a-z0-9]|.*[-_.:/@])[\w@][\w.:/@-]*$/u;

/**
 * Counts headings that imitate the host's own or a server's section: the host's heading, `##` with something like a
 * server id, the id of another server, and headings underlined with `=`, which no clamp of `#` lines reaches.
 *
 * @param text a cleaned text with `\n` line ends
 * @param otherServers ids of the other servers, in lower case
 * @returns how many there are outside of what certainly is code
 */
export function countFakeHeadings(text: string, otherServers: ReadonlySet<string>): number {
  if (!COULD_BE_HEADING.test(text)) return 0;
  const code = new CodeLines();
  let count = 0;
  let previous = '';
  for (const line of text.split('\n')) {
    if (code.next(line)) {
      previous = '';
      continue;
    }
    if (isFake(line, previous, otherServers)) count += 1;
    previous = line.trim();
  }
  return count;
}

function isFake(line: string, previous: string, otherServers: ReadonlySet<string>): boolean {
  const atx = ATX.exec(line);
  if (atx !== null) {
    const title = titleOf(atx[2] ?? '');
    return imitates(title, otherServers) || (atx[1] === '##' && ID_LIKE.test(title));
  }
  if (previous === '') return false;
  const underline = UNDERLINE.exec(line);
  if (underline === null) return false;
  return underline[1] !== undefined || imitates(titleOf(previous), otherServers);
}

function imitates(title: string, otherServers: ReadonlySet<string>): boolean {
  const lower = title.toLowerCase();
  return HOST_HEADING.test(lower) || otherServers.has(lower);
}

function titleOf(rest: string): string {
  const title = rest.trim();
  let end = title.length;
  while (end > 0 && title[end - 1] === '#') end -= 1;
  return title.slice(0, end).trim();
}
