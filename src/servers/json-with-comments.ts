/** Where a text stops being JSON. */
export class JsonSyntaxError extends Error {
  /** From 1. */
  readonly line: number;

  constructor(line: number) {
    super(`line ${line}`);
    this.line = line;
  }
}

/**
 * Parses JSON as editors write it: with comments, commas before a closing bracket, and a byte order mark.
 *
 * @throws JsonSyntaxError which shows nothing of the text
 */
export function parseJsonWithComments(text: string): unknown {
  const plain = toPlainJson(text.replace(/^\uFEFF/u, ''));
  try {
    return JSON.parse(plain);
  } catch (error) {
    const position = Number(
      /position (\d+)/u.exec(error instanceof Error ? error.message : '')?.[1] ?? plain.length,
    );
    throw new JsonSyntaxError(plain.slice(0, position).split('\n').length);
  }
}

/** Puts white space in place of comments and stray commas, so that lines stay where they are. */
function toPlainJson(text: string): string {
  const noComments = text.replace(/"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//gu, (match) =>
    match.startsWith('"') ? match : match.replace(/[^\n]/gu, ' '),
  );
  return noComments.replace(/"(?:[^"\\\n]|\\.)*"|,(?=\s*[\]}])/gu, (match) => (match === ',' ? ' ' : match));
}
