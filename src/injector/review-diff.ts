/** Beyond so many changed lines two texts have little in common, and finding out would take long. */
const MAX_CHANGES = 1000;

/**
 * What changed between the approved text and the one now offered.
 *
 * @param approved the approved text
 * @param offered the text now offered
 * @returns lines of a unified diff, each with its sign in front; untrusted like the texts. `undefined` when they have little in common
 */
export async function diffOf(approved: string, offered: string): Promise<readonly string[] | undefined> {
  if (approved === offered) return [];
  const { structuredPatch } = await import('diff');
  const patch = structuredPatch('approved', 'offered', approved, offered, undefined, undefined, {
    context: 3,
    maxEditLength: MAX_CHANGES,
  });
  if (patch === undefined) return undefined;
  const lines: string[] = [];
  for (const hunk of patch.hunks) {
    lines.push(`@@ -${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@`);
    // A backslash starts no line of either text: it says that the last line has no newline.
    lines.push(...hunk.lines.filter((line) => !line.startsWith('\\')));
  }
  return lines;
}
