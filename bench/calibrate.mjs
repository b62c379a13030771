// Fits the calibrations: `npm run build && node bench/calibrate.mjs DIRECTORY`, with the directory that holds
// claude-counts.jsonl (recorded) and claude-counts-reconstructed.jsonl. Without a directory, from the figures taken of
// those texts before (bench/data/token-rows.json; numbers only, the texts are not ours to keep).
// Writes src/cost/calibration-data.ts.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { Fit } from './calibrate-fit.mjs';
import { families, heldOut, readRows, rowsFile, summarise, takeRows, widthsFrom } from './calibrate-rows.mjs';

const [directory] = process.argv.slice(2);
if (directory !== undefined) {
  writeFileSync(rowsFile, `${JSON.stringify(await takeRows(directory))}\n`);
}
const rows = readRows();
const month = (process.env.CALIBRATION_MONTH ?? new Date().toISOString()).slice(0, 7);

const calibrations = {};
for (const family of families) {
  const samples = rows.map((row) => ({ row: row.design, tokens: row.tokens[family] }));
  const fit = new Fit(samples);
  const held = heldOut(rows, family, fit);
  const weights = Object.fromEntries(
    Object.entries(fit.all())
      .filter(([, weight]) => weight >= 0.0005)
      .map(([name, weight]) => [name, Number(weight.toFixed(3))]),
  );
  const widths = widthsFrom(held);
  calibrations[family] = {
    name: `${family}/${month}`,
    corpus: corpusOf(rows),
    weights,
    widths,
    heldOut: summarise(held, widths),
  };
}

const target = new URL('../src/cost/calibration-data.ts', import.meta.url);
writeFileSync(
  target,
  `// Written by bench/calibrate.mjs; do not edit.
import type { FittedCalibration } from './calibration.js';

/** The calibrations that ship, by model family. */
export const calibrations: Readonly<Record<'claude-3' | 'claude-5', FittedCalibration>> = ${JSON.stringify(calibrations, undefined, 2)};
`,
);
execFileSync('npx', ['oxfmt', target.pathname]);
console.log(readFileSync(target, 'utf8'));

function corpusOf(all) {
  const recorded = all.filter((row) => row.recorded).length;
  return `${recorded} texts counted by the API and ${all.length - recorded} by a reconstruction of its tokenizer`;
}
