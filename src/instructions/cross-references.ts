const WORD = /[\p{L}\p{N}_]/u;

/**
 * Counts where a text speaks of another server by its id. An id that could be a plain word counts only next to the word
 * "server" or "MCP", in quotes, or in a tool prefix (`mcp__id__`).
 *
 * @param text a cleaned text
 * @param otherServers ids of the other servers, in lower case
 * @returns how many such places there are
 */
export function countCrossReferences(text: string, otherServers: ReadonlySet<string>): number {
  if (otherServers.size === 0) return 0;
  const lower = text.toLowerCase();
  let count = 0;
  for (const id of otherServers) {
    if (id === '') continue;
    const distinctive = id.length >= 5 && /[\d_.:/-]/u.test(id);
    for (let at = lower.indexOf(id); at !== -1; at = lower.indexOf(id, at + id.length)) {
      if (speaksOf(lower, at, at + id.length, distinctive)) count += 1;
    }
  }
  return count;
}

function speaksOf(text: string, start: number, end: number, distinctive: boolean): boolean {
  const before = text.slice(Math.max(0, start - 16), start);
  const after = text.slice(end, end + 16);
  if (before.endsWith('mcp__') && after.startsWith('__')) return true;
  if (WORD.test(before.slice(-1)) || WORD.test(after.slice(0, 1))) return false;
  if (distinctive) return true;
  const quoted = /["'`]$/u.test(before) && /^["'`]/u.test(after);
  return (
    quoted ||
    /^["'`]?\s(?:mcp\s)?(?:mcp|servers?)\b/u.test(after) ||
    /\b(?:mcp|server)\s["'`]?$/u.test(before)
  );
}
