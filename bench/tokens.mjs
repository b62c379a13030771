// How long counting takes, kind by kind, beside English of the same length: `npm run build && node bench/tokens.mjs`.
// Exits with 1 when a kind takes more than 20 times as long, or loading stops the event loop for more than 25 ms.
// Compared are the fastest of many rounds, and the quietest of some loads: other work on the machine only ever adds.
import { execFileSync } from 'node:child_process';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { loadEncoding } from '../dist/cost/encoding.js';
import { O200k } from '../dist/cost/o200k.js';
import { runInSlices } from '../dist/cost/pause.js';
import { TokenCounter } from '../dist/cost/token-counter.js';

const maxRatio = 20;
const maxStallMs = 25;

if (process.argv[2] === 'stall') {
  console.log(await loadingStall());
  process.exit();
}

const stalls = Array.from({ length: 7 }, () =>
  Number(execFileSync(process.execPath, [fileURLToPath(import.meta.url), 'stall'], { encoding: 'utf8' })),
).sort((a, b) => a - b);
console.log(
  `Longest stall of the event loop while the rank table loads, ${stalls.length} new processes, in ms: ` +
    `${stalls.map((stall) => stall.toFixed(1)).join(' ')}; limit ${maxStallMs}\n`,
);

const o200k = await runInSlices(O200k.build(await loadEncoding()));
const kinds = texts();
let worst = 0;
for (const length of [2_048, 25_000]) {
  const rounds = length < 10_000 ? 201 : 41;
  const times = measure(
    kinds.map(([kind, unit]) => [kind, fill(unit, length)]),
    rounds,
  );
  const base = times.get('English prose');
  console.log(`${length.toLocaleString('en')} UTF-16 units`.padEnd(34) + 'tokens          ms   of English');
  for (const [kind, { tokens, fastest }] of times) {
    const ratio = fastest / base.fastest;
    worst = Math.max(worst, ratio);
    console.log(
      kind.padEnd(30) +
        String(tokens).padStart(10) +
        fastest.toFixed(3).padStart(12) +
        ratio.toFixed(1).padStart(13),
    );
  }
  console.log();
}
console.log(`Highest ratio ${worst.toFixed(1)}, limit ${maxRatio}`);
process.exitCode = worst > maxRatio || stalls[0] > maxStallMs ? 1 : 0;

async function loadingStall() {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  // The first reading after `enable` is lost, so let the loop turn before the work starts.
  await new Promise((resolve) => setTimeout(resolve, 50));
  delay.reset();
  await new TokenCounter().load();
  await new Promise((resolve) => setTimeout(resolve, 5));
  delay.disable();
  return delay.max / 1e6;
}

/** Rounds over all kinds, so that a busy time of the machine does not hit one kind alone. */
function measure(texts, rounds) {
  const samples = new Map(texts.map(([kind]) => [kind, []]));
  const tokens = new Map();
  for (let round = 0; round < rounds; round++) {
    for (const [kind, text] of texts) {
      const start = performance.now();
      tokens.set(kind, o200k.count(text));
      samples.get(kind).push(performance.now() - start);
    }
  }
  return new Map(
    [...samples].map(([kind, list]) => [kind, { tokens: tokens.get(kind), fastest: Math.min(...list) }]),
  );
}

function fill(unit, length) {
  let text = '';
  for (let i = 0; text.length < length; i++) text += unit(i);
  return text.slice(0, length);
}

function texts() {
  const sentences = [
    'Search before you write: an item that exists already must be changed, never made a second time. ',
    'Every call takes the number of the project; ask for it when the user has not named one. ',
    'Dates are given as year, month and day, and times are always in the zone of the warehouse. ',
    'When a request is refused, read the reason aloud and offer the nearest thing that is allowed. ',
    'Do not guess at prices. They change every hour, and only the quote tool knows the current ones. ',
    'Large lists come back in pages of fifty; follow the cursor until it is empty, then summarise. ',
  ];
  const random = seeded(7);
  const from = (start, size) => () => String.fromCodePoint(start + Math.floor(random() * size));
  return [
    ['English prose', (i) => sentences[(i * 5 + (i >> 3)) % sentences.length]],
    ['one letter', () => 'a'],
    ['one capital', () => 'A'],
    ['spaces', () => ' '],
    ['line ends', () => '\n'],
    ['one emoji', () => '😀'],
    ['random emoji', from(0x1f300, 700)],
    ['one hiragana', () => 'あ'],
    ['random hiragana', from(0x3041, 86)],
    ['one ideograph', () => '漢'],
    ['random ideographs', from(0x4e00, 20_000)],
    ['random hangul', from(0xac00, 11_000)],
    ['random Thai', from(0x0e01, 57)],
    ['zero-width spaces', () => '\u200b'],
    ['lone surrogates', () => '\ud800'],
    ['combining marks', () => '\u0301'],
    ['tag characters', () => '\u{e0041}'],
    ['exclamation marks', () => '!'],
    ['digits', () => '7'],
    ['random letters', from(0x61, 26)],
    ['random printable ASCII', from(0x21, 94)],
  ];
}

function seeded(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
