import { readFileSync } from 'node:fs';

/**
 * The body rows of every table in a page, each as its trimmed cells, code marks kept.
 *
 * @param path from the root of the repository
 * @param firstHeader the first header cell of the tables that are wanted
 */
export function readTable(path: string, firstHeader: string): string[][] {
  const lines = readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8').split('\n');
  const rows: string[][] = [];
  let wanted = false;
  lines.forEach((line, index) => {
    if (!line.startsWith('|')) {
      wanted = false;
      return;
    }
    const cells = line
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim());
    if (lines[index + 1]?.startsWith('|--') || lines[index + 1]?.startsWith('| --'))
      wanted = cells[0] === firstHeader;
    else if (wanted && !line.startsWith('|--') && !line.startsWith('| --')) rows.push(cells);
  });
  return rows;
}
