// What importing the package costs beside importing its dependencies alone: `npm run build && node bench/import.mjs`.
// Each in new processes; the fastest of some, since other work on the machine only ever adds.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const rounds = 9;
const { dependencies } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const entries = {
  '@noble/hashes': '@noble/hashes/sha2.js',
  'js-tiktoken': 'js-tiktoken/ranks/o200k_base',
};
const names = Object.keys(dependencies);
const specifiersOf = (list) => list.map((name) => entries[name] ?? name);
const candidates = new Map([
  ['mcp-instructions', ['mcp-instructions']],
  ['its dependencies', specifiersOf(names)],
  ['its dependencies without js-tiktoken', specifiersOf(names.filter((name) => name !== 'js-tiktoken'))],
]);

/** @type {Map<string, { ms: number, megabytes: number }[]>} */
const results = new Map();
for (let round = 0; round < rounds; round++) {
  for (const [name, specifiers] of candidates) {
    results.set(name, [...(results.get(name) ?? []), measure(specifiers)]);
  }
}
const [ours, ...others] = [...results].map(([name, samples]) => ({
  name,
  ms: Math.min(...samples.map(({ ms }) => ms)),
  megabytes: Math.min(...samples.map(({ megabytes }) => megabytes)),
}));
console.log(`${''.padEnd(38)}      ms  heap MB`);
for (const { name, ms, megabytes } of [ours, ...others]) {
  console.log(name.padEnd(38) + ms.toFixed(0).padStart(8) + megabytes.toFixed(1).padStart(9));
}
for (const other of others) {
  console.log(
    `mcp-instructions / ${other.name}: time ${(ours.ms / other.ms).toFixed(2)}, memory ${(ours.megabytes / other.megabytes).toFixed(2)}`,
  );
}

function measure(specifiers) {
  const script = `
    const start = performance.now();
    for (const name of ${JSON.stringify(specifiers)}) await import(name);
    const ms = performance.now() - start;
    gc();
    const { heapUsed, external } = process.memoryUsage();
    console.log(JSON.stringify({ ms, megabytes: (heapUsed + external) / 1e6 }));
  `;
  const options = { encoding: 'utf8', cwd: new URL('..', import.meta.url) };
  return JSON.parse(
    execFileSync(process.execPath, ['--expose-gc', '--input-type=module', '-e', script], options),
  );
}
