import { readFileSync } from 'node:fs';

/** @returns a `package.json` for sources that were compiled to a folder of their own, with the names that they load each other by */
export function compiledManifest(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  const { imports }: { imports: unknown } = JSON.parse(text);
  return JSON.stringify({ type: 'module', imports }).replaceAll('"./dist/', '"./');
}
