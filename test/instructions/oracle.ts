/**
 * Judges admitted texts. Written apart from the code it judges, from the rules alone, with tables of its own: a fault that
 * both have must have been made twice.
 */

const UNSEEN = /[\p{Cf}\p{Mn}\p{Me}\p{Cc}\u{fe00}-\u{fe0f}\u{e0100}-\u{e01ef}]/gu;
const BRACKET =
  /[<\u2039\u00ab\u2329\u3008\u300a\u27e8\u27ea\u276c\u276e\u2770\u02c2\u1438\u16b2\u226e\u{1d236}]/gu;
const SLASH = /[/\\\u2044\u2215\u2216\u29f8\u29f5\u2571\u2572\u27cb\u27cd]/gu;
const DASH = /[\p{Pd}\u2212\u2043\u02d7\u30fc\u3161\u2500\u2501]/gu;
const LETTERS: Readonly<Record<string, string>> = {
  ѕ: 's',
  у: 'y',
  т: 't',
  е: 'e',
  м: 'm',
  і: 'i',
  ԁ: 'd',
  г: 'r',
  п: 'n',
  ո: 'n',
  с: 'c',
  р: 'p',
  ѵ: 'v',
  ν: 'v',
  о: 'o',
  ο: 'o',
  υ: 'u',
  ꜱ: 's',
  ᴇ: 'e',
  ᴍ: 'm',
  ɪ: 'i',
  ı: 'i',
  ι: 'i',
  ɴ: 'n',
  ᴅ: 'd',
  ʀ: 'r',
  ᴛ: 't',
  τ: 't',
  ʏ: 'y',
};
const FORGED = /<[ /\\]*(?:system[-_ ]*reminder|mcp[-_ ]*server[-_ ]*instructions|mcp[-_ ]*instructions)/u;

function folded(text: string): string {
  return text
    .replaceAll(UNSEEN, '')
    .normalize('NFKC')
    .replaceAll(BRACKET, '<')
    .replaceAll(SLASH, '/')
    .replaceAll(DASH, '-')
    .toLowerCase()
    .replaceAll(/[^\p{ASCII}]/gu, (letter) => LETTERS[letter] ?? letter)
    .replaceAll(/ +/gu, ' ');
}

/** Whether a reader would find one of the wrapper's tags in the text. */
export function holdsReservedTag(text: string): boolean {
  return FORGED.test(folded(text));
}

/** Whether one is there once brackets and slashes are decoded. */
export function holdsEncodedReservedTag(text: string): boolean {
  const decoded = text
    .replaceAll(/&(?:amp;)*(?:lt|#0*60|#x0*3c);?/giu, '<')
    .replaceAll(/\\u003c|\\x3c|\\u\{3c\}|%(?:25)*3c/giu, '<')
    .replaceAll(/&(?:amp;)*(?:sol|#0*47|#x0*2f);?|\\u002f|%(?:25)*2f/giu, '/');
  return holdsReservedTag(decoded);
}

/** The lines that stand outside code fences, and whether a fence is left open at the end. */
function outsideFences(text: string): { lines: string[]; open: boolean } {
  const lines: string[] = [];
  let fence = '';
  for (const line of text.split('\n')) {
    const body = line.replace(/^ {1,3}/u, '');
    const mark = body.charAt(0);
    const run = /^(?:`+|~+)/u.exec(body)?.[0].length ?? 0;
    const info = body.slice(run);
    if (fence === '') {
      if (run >= 3 && (mark === '~' || !info.includes('`'))) fence = mark.repeat(run);
      else lines.push(line);
    } else if (mark === fence.charAt(0) && run >= fence.length && /^[ \t]*$/u.test(info)) {
      fence = '';
    }
  }
  return { lines, open: fence !== '' };
}

/** Whether a code fence is left open at the end. */
export function endsInsideFence(text: string): boolean {
  return outsideFences(text).open;
}

/** The lines outside code fences that are headings of the host's own levels. */
function hostHeadings(text: string): string[] {
  return outsideFences(text).lines.filter((line) => /^ {0,3}#{1,2}(?:\s|$)/u.test(line));
}

const ENGLAND_SCOTLAND_WALES =
  /\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}/gu;

const NEVER: Readonly<Record<string, RegExp>> = {
  'a control character': /(?![\t\n])\p{Cc}/u,
  'another line end': /[\r\u2028\u2029\u0085]/u,
  'a direction mark': /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u,
  'a private-use character': /\p{Co}/u,
  'an invisible character': /\u034f|[\u00ad\u115f\u1160\u2060-\u2064\u206a-\u206f\u3164\ufeff\uffa0]/u,
  'a zero-width space in Latin text': /[\p{Script=Latin}\s]\u200b|\u200b[\p{Script=Latin}\s]/u,
  'two joiners in a row': /[\u200b-\u200d]{2}/u,
  'two variation selectors in a row': /[\ufe00-\ufe0f]{2}/u,
  'an ideographic variation selector': /[\u{e0100}-\u{e01ef}]/u,
  'nine combining marks in a row': /\p{M}{9}/u,
  'five blank lines in a row': /\n(?:[^\S\n]*\n){5}/u,
};

/** What the oracle needs to know of an admission. */
export interface Judged {
  readonly text: string;
  readonly keptChars: number;
  readonly lostChars: number;
  readonly truncated: boolean;
}

/**
 * @param admission what became of a text
 * @param maxChars the cap it was admitted under
 * @returns what is wrong with it, in words
 */
export function faultsOf({ text, keptChars, lostChars, truncated }: Judged, maxChars: number): string[] {
  const faults: string[] = [];
  if (!text.isWellFormed()) faults.push('ill-formed');
  if (text.length > maxChars + 13 + 9) faults.push(`${text.length} units under a cap of ${maxChars}`);
  if (keptChars > maxChars) faults.push(`kept ${keptChars} under a cap of ${maxChars}`);
  if (truncated !== lostChars > 0) faults.push('truncated and lostChars disagree');
  if (truncated && text !== '' && !text.includes('… [truncated]')) faults.push('cut without a marker');
  if (holdsReservedTag(text)) faults.push('forged tag');
  if (holdsEncodedReservedTag(text)) faults.push('forged encoded tag');
  if (endsInsideFence(text)) faults.push('open fence');
  if (text.trim() !== text) faults.push('outer white space');
  if (/[\u{e0000}-\u{e007f}]/u.test(text.replaceAll(ENGLAND_SCOTLAND_WALES, '')))
    faults.push('a tag character');
  for (const [fault, pattern] of Object.entries(NEVER)) if (pattern.test(text)) faults.push(fault);
  return faults;
}

const OPENING = '<system-reminder>\n';
const CLOSING = '\n</system-reminder>';

/**
 * @param block a rendered block that tells new servers
 * @param ids their ids, as printed, in order
 * @returns what is wrong with it, in words: nothing may be forged over the border between two servers either
 */
export function faultsOfBlock(block: string, ids: readonly string[]): string[] {
  const faults: string[] = [];
  if (!block.startsWith(OPENING) || !block.endsWith(CLOSING)) faults.push('broken frame');
  const inner = block.slice(OPENING.length, -CLOSING.length);
  if (holdsReservedTag(inner)) faults.push('forged tag in the block');
  const headings = hostHeadings(inner);
  const expected = ['# MCP Server Instructions', ...ids.map((id) => `## ${id}`)];
  if (headings.join('\n') !== expected.join('\n')) faults.push(`headings: ${headings.join(' | ')}`);
  if (endsInsideFence(inner)) faults.push('open fence in the block');
  if (!block.isWellFormed()) faults.push('ill-formed block');
  return faults;
}
