/**
 * Runs every Markdown and TypeScript file below node_modules through the reserved-tag pass: none that does not hold a reserved
 * name may change.
 *
 *     npm run build && node bench/benign-files.mjs [DIST]
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const dist = resolve(process.argv[2] ?? new URL('../dist', import.meta.url).pathname);
const { neutraliseReservedTags } = await import(pathToFileURL(`${dist}/instructions/reserved-tags.js`).href);

const RESERVED = /system[-_ ]?reminder|mcp[-_ ]?(?:server[-_ ]?)?instructions/iu;
const counted = { files: 0, chars: 0, holdingAName: 0, changed: 0 };

function walk(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) walk(path);
    else if (entry.isFile() && /\.(?:md|markdown|[cm]?ts|tsx)$/iu.test(entry.name)) check(path);
  }
}

function check(path) {
  const text = readFileSync(path, 'utf8');
  if (RESERVED.test(text)) {
    counted.holdingAName += 1;
    return;
  }
  counted.files += 1;
  counted.chars += text.length;
  if (neutraliseReservedTags(text).text === text) return;
  counted.changed += 1;
  console.error(`changed: ${path}`);
}

walk(new URL('../node_modules', import.meta.url).pathname);
console.log(JSON.stringify(counted));
if (counted.changed > 0 || counted.files === 0) process.exitCode = 1;
