import type { FlagCounts } from './flags.js';

/** Every pattern is bounded, so one pass stays linear; none is used to change the text. */
const AUTHORITY_TAG =
  /<\s{0,2}\/?\s{0,2}(?:antml:)?(?:system|assistant|human|developer|important|function_calls|function_results|invoke|parameter|tool_(?:use|call|calls|result|response)|(?:system|developer|host)[-_ ](?:prompt|message|instructions?|note))(?=[\s>/])/giu;
const ROLE_MARKER = /^[ \t]{0,3}(?:Human|Assistant|System|User|Developer|H|A) ?:/gmu;
const SPECIAL_TOKEN =
  /<[|｜][\w▁][\w ▁-]{0,39}[|｜]>|\[\/?INST\]|<<\/?SYS>>|<(?:start|end)_of_turn>|<\/?(?:bos|eos|pad)>/giu;
const MARKER_SPOOF =
  /(?:…|\.{3})\s{0,2}\[truncated\]|^[ \t]{0,3}The following MCP servers (?:have|are)\b/gimu;
/** What follows the host starts with a character that a host cannot hold, so the two never compete for the same text. */
const LINK =
  /\[\s{0,2}https?:\/\/([^\s\]/?#]{1,253})(?:[/?#][^\]\n]{0,500})?\]\(\s{0,2}<?https?:\/\/([^\s)/?#>]{1,253})/giu;
const SPACE_FLOOD = /(?<![^\S\n])[^\S\n]{200}/g;
const FRONT_MATTER = /^---[ \t]*\n(?:[^\n]*\n){1,50}?---[ \t]*(?:\n|$)/u;

/**
 * Counts what looks like an attempt to speak with the host's, the model vendor's or another reader's voice. For people and
 * logs only: such text is left as it is.
 *
 * @param text a cleaned text
 * @returns how often each was met
 */
export function findSigns(text: string): FlagCounts {
  return {
    'authority-tag': countOf(text, AUTHORITY_TAG),
    'role-marker': countOf(text, ROLE_MARKER),
    'special-token': countOf(text, SPECIAL_TOKEN),
    'marker-spoof': countOf(text, MARKER_SPOOF),
    'link-mismatch': mismatchedLinks(text),
    'space-flood': countOf(text, SPACE_FLOOD),
    'front-matter': FRONT_MATTER.test(text) ? 1 : 0,
  };
}

function countOf(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

function mismatchedLinks(text: string): number {
  if (!text.includes('](')) return 0;
  let count = 0;
  for (const [, shown, target] of text.matchAll(LINK)) {
    if (shown?.toLowerCase() !== target?.toLowerCase()) count += 1;
  }
  return count;
}
