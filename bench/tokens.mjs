// How good figures are and how long they take: `npm run build && node bench/tokens.mjs`.
// Exits with 1 when a kind of text takes more than 20 times as long as English of the same length, loading stops the event
// loop for more than 25 ms, or fewer than 90 of 100 held-out texts lie in their bands.
// Compared are the fastest of many rounds, and the quietest of some loads: other work on the machine only ever adds.
import { execFileSync } from 'node:child_process';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { calibrations } from '../dist/cost/calibration-data.js';
import { loadEncoding } from '../dist/cost/encoding.js';
import { O200k } from '../dist/cost/o200k.js';
import { figureOf } from '../dist/cost/figure.js';
import { runAtOnce, runInSlices } from '../dist/cost/pause.js';
import { profileInSteps } from '../dist/cost/profile.js';
import { TokenCounter } from '../dist/cost/token-counter.js';
import { Fit } from './calibrate-fit.mjs';
import { publishedPoints } from './calibrate-published.mjs';
import { families, heldOut, readRows, summarise } from './calibrate-rows.mjs';

const maxRatio = 20;
const maxStallMs = 25;
const minInBand = 90;

if (process.argv[2] === 'stall') {
  console.log(JSON.stringify(await loadingStall()));
  process.exit();
}

const stalls = Array.from({ length: 7 }, () =>
  JSON.parse(execFileSync(process.execPath, [fileURLToPath(import.meta.url), 'stall'], { encoding: 'utf8' })),
);
const longestStall = Math.min(...stalls.map(({ cpu }) => cpu));
console.log('Longest stall of the event loop while the rank table loads, in new processes, in ms');
console.log(`by the clock: ${inOrder(stalls.map(({ clock }) => clock))}`);
console.log(
  `by processor time: ${inOrder(stalls.map(({ cpu }) => cpu))}; limit for the least ${maxStallMs}\n`,
);

const o200k = await runInSlices(O200k.build(await loadEncoding()));
const kinds = texts();
let worst = 0;
for (const length of [2_048, 25_000]) {
  const rounds = length < 10_000 ? 301 : 101;
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
console.log(`Highest ratio ${worst.toFixed(1)}, limit ${maxRatio}\n`);
const leastInBand = printErrors();
printPublished();
process.exitCode = worst > maxRatio || longestStall > maxStallMs || leastInBand < minInBand ? 1 : 0;

/** Every text estimated by a fit without it, its band by widths taken without it. Returns the least share in a band. */
function printErrors() {
  const rows = readRows();
  const recorded = (kind) => rows.filter((row) => row.kind === kind && row.recorded).length;
  let least = 100;
  for (const family of families) {
    console.log(
      `${calibrations[family].name}, errors in %`.padEnd(36) +
        '  n recorded    p50    p90    max  in band  half-width  widest',
    );
    const fit = new Fit(rows.map((row) => ({ row: row.design, tokens: row.tokens[family] })));
    for (const [kind, errors] of Object.entries(summarise(heldOut(rows, family, fit)))) {
      if (errors.n >= 10) least = Math.min(least, errors.inBand);
      console.log(
        kind.padEnd(34) +
          String(errors.n).padStart(5) +
          String(recorded(kind)).padStart(9) +
          [errors.p50, errors.p90, errors.max].map((value) => value.toFixed(1).padStart(7)).join('') +
          errors.inBand.toFixed(1).padStart(9) +
          errors.halfWidth.toFixed(1).padStart(12) +
          errors.maxHalfWidth.toFixed(1).padStart(8),
      );
    }
    console.log();
  }
  return least;
}

/** What a host was measured to add to requests to Opus 5.5, and what is estimated for texts made alike. */
function printPublished() {
  console.log('Published for Opus 5.5'.padEnd(46) + 'bytes/char  tokens  estimate      band  residual');
  for (const { what, tokens, bytes, block } of publishedPoints()) {
    const figure = figureOf(runAtOnce(profileInSteps(o200k, block)), 'claude-5');
    console.log(
      what.padEnd(46) +
        bytes.toFixed(2).padStart(10) +
        String(tokens).padStart(8) +
        String(figure.tokens).padStart(10) +
        `${figure.low}-${figure.high}`.padStart(11) +
        `${(100 * (figure.tokens / tokens - 1)).toFixed(1)} %`.padStart(9),
    );
  }
}

function inOrder(numbers) {
  return numbers
    .sort((a, b) => a - b)
    .map((number) => number.toFixed(1))
    .join(' ');
}

/** The clock also counts what others did with the processor meanwhile; processor time also counts our other threads. */
async function loadingStall() {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  let mark = process.cpuUsage();
  let cpu = 0;
  const ticks = setInterval(() => {
    const { user, system } = process.cpuUsage(mark);
    cpu = Math.max(cpu, (user + system) / 1_000);
    mark = process.cpuUsage();
  }, 1);
  // The first readings belong to what went before.
  await new Promise((resolve) => setTimeout(resolve, 50));
  delay.reset();
  cpu = 0;
  await new TokenCounter().load();
  await new Promise((resolve) => setTimeout(resolve, 5));
  clearInterval(ticks);
  delay.disable();
  return { clock: delay.max / 1e6, cpu };
}

/** Rounds over all kinds, so that a busy time of the machine does not hit one kind alone. */
function measure(texts, rounds) {
  const samples = new Map(texts.map(([kind]) => [kind, []]));
  const tokens = new Map();
  for (let round = 0; round < rounds; round++) {
    for (const [kind, text] of texts) {
      const start = performance.now();
      tokens.set(kind, runAtOnce(profileInSteps(o200k, text)).tokens);
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
