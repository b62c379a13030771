/**
 * Runs texts made of fragments of attacks through admission and rendering, judged by the oracle of the tests.
 *
 *     npm run build && node bench/fuzz-admission.mjs [DIST] [--texts=1000000] [--from=0]
 *
 * Prints what was counted; fails on the first faults.
 */
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createViteServer } from 'vitest/node';

const dist = resolve(
  process.argv.slice(2).find((argument) => !argument.startsWith('--')) ??
    new URL('../dist', import.meta.url).pathname,
);
const settingOf = (name, fallback) =>
  Number(process.argv.find((argument) => argument.startsWith(`--${name}=`))?.split('=')[1] ?? fallback);
const texts = settingOf('texts', 1_000_000);
const from = settingOf('from', 0);

const load = (path) => import(pathToFileURL(`${dist}/${path}`).href);
const { admit } = await load('instructions/admit.js');
const { render } = await load('render/render.js');

// The generator and the oracle are TypeScript, and shared with the tests.
const server = await createViteServer({
  root: new URL('..', import.meta.url).pathname,
  configFile: false,
  logLevel: 'error',
  server: { middlewareMode: true, ws: false, watch: null },
});
const { fuzzCap, fuzzText } = await server.ssrLoadModule('/test/support/fuzz-text.ts');
const { faultsOf, faultsOfBlock, holdsReservedTag } = await server.ssrLoadModule(
  '/test/instructions/oracle.ts',
);

/** The text and the one before it, as two servers of one block. */
const blockOf = (first, second) =>
  render({
    added: [
      { id: 'alpha', text: first },
      { id: 'beta', text: second },
    ],
  });

const counted = { texts: 0, units: 0, admitted: 0, cut: 0, withForgedTag: 0, faulty: 0 };
let previous = 'first text';
const start = performance.now();
for (let number = from; number < from + texts; number += 1) {
  const text = fuzzText(number);
  const maxChars = fuzzCap(number);
  const admission = admit(text, { maxChars });
  const faults = faultsOf(admission, maxChars);
  if (admit(admission.text, { maxChars }).text !== admission.text)
    faults.push('admitting it again changes it');
  if (admission.state === 'admitted') {
    faults.push(...faultsOfBlock(blockOf(previous, admission.text), ['alpha', 'beta']));
    previous = admission.text;
  }
  counted.texts += 1;
  counted.units += text.length;
  if (admission.state === 'admitted') counted.admitted += 1;
  if (admission.truncated) counted.cut += 1;
  if (holdsReservedTag(text)) counted.withForgedTag += 1;
  if (faults.length > 0) {
    counted.faulty += 1;
    if (counted.faulty <= 5)
      console.error(JSON.stringify({ number, maxChars, faults, text, admitted: admission.text }));
  }
}
await server.close();
console.log(JSON.stringify({ ...counted, seconds: Math.round((performance.now() - start) / 1000) }));
if (counted.faulty > 0 || counted.texts === 0) process.exitCode = 1;
