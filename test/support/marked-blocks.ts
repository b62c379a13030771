/** A code block of a page that a comment above it ties to something that runs. */
export interface MarkedBlock {
  /** `example`: a file or a region of it. `output`: what a command prints. */
  readonly kind: 'example' | 'output';
  /** The file, or the command. */
  readonly of: string;
}

/** `<!-- example: FILE#REGION -->` or `<!-- output: COMMAND -->`, then a fence, its lines, and the fence. */
const MARKED = /(<!-- (example|output): (.+?) -->\n(`{3,})[a-z]*\n)([\s\S]*?)(^\4$)/gm;

/** Every marked block of a page. */
export function markedBlocks(page: string): readonly MarkedBlock[] {
  return [...page.matchAll(MARKED)].map(([, , kind = '', of = '']) => ({
    kind: kind === 'example' ? 'example' : 'output',
    of,
  }));
}

/**
 * Puts into every marked block what belongs there.
 *
 * @param page the page
 * @param contentOf gives the lines of a block, with a line end
 */
export async function fillBlocks(
  page: string,
  contentOf: (block: MarkedBlock) => Promise<string>,
): Promise<string> {
  const contents: string[] = [];
  for (const block of markedBlocks(page)) contents.push(await contentOf(block));
  let next = 0;
  return page.replaceAll(MARKED, (_whole, head: string, _kind, _of, _fence, _content, end: string) => {
    const content = contents[next] ?? '';
    next += 1;
    return head + content + end;
  });
}

/**
 * A region of a source text: what stands between `// #region NAME` and the next `// #endregion`.
 *
 * @throws when there is no such region
 */
export function regionOf(source: string, name: string): string {
  const lines = source.split('\n');
  const start = lines.indexOf(`// #region ${name}`);
  const end = lines.indexOf('// #endregion', start);
  if (start === -1 || end === -1) throw new Error(`expected a region ${name}`);
  return `${lines
    .slice(start + 1, end)
    .join('\n')
    .trim()}\n`;
}
