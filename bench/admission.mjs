/**
 * Time of admission for hostile fragments against plain English of the same length.
 *
 *     npm run build && node bench/admission.mjs [DIST]
 *
 * Fails when a fragment takes over 50 times as long as English, or when four times the length takes over eight times as long.
 * Run with the default cap (the passes then see 65,536 units at most) and with a cap of 1 MiB (they see everything).
 */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const dist = resolve(process.argv[2] ?? new URL('../dist', import.meta.url).pathname);
const { admit } = await import(pathToFileURL(`${dist}/instructions/admit.js`).href);

const MEBI = 1_048_576;
const MOST_TIMES_ENGLISH = 50;
const MOST_GROWTH = 8;
const english =
  'Call list_periods before anything else. An id is a whole number, and dates are written as year, month and day.\n';

const synthetic = {
  'opening bracket': '<',
  'bracket and space': '< ',
  'bracket and slash': '</',
  'half a tag': '<system-reminde',
  'a tag': '</system-reminder>',
  'three half names': '<mcp-server-instruction<mcp-instruction<system-reminde',
  'look-alike tag': '〈／ѕуѕтем—гемındе',
  entity: '&lt;',
  'entity with zeros': '&#000000000',
  'escaped entity': '&amp;',
  percent: '%25',
  'percent bytes': '%e2%80%b9',
  backslash: '\\',
  escape: '\\u003c',
  prefix: '<aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa:',
  NUL: '\0',
  'escape character': '\x1b',
  CSI: '\x1b[',
  'CSI with parameters': '\x1b[0;0;0',
  'OSC, open': '\x1b]',
  'OSC with text, open': '\x1b]0;text ',
  'C1 OSC': '\x9d',
  'zero-width space': '\u200b',
  'letter and zero-width space': 'a\u200b',
  ZWJ: '\u200d',
  'Arabic and ZWNJ': 'م\u200c',
  'emoji and ZWJ': '👩\u200d',
  'emoji family': '👨\u200d👩\u200d👧\u200d👦',
  flag: '🇨🇦',
  'tag characters': '\u{e0041}',
  'flag with tag characters': '🏴\u{e0067}\u{e0062}',
  'variation selector': '\ufe0f',
  'emoji and selectors': '☎\ufe0f\ufe0e\ufe00',
  'combining mark': '\u0301',
  'letter and nine marks': `e${'\u0301'.repeat(9)}`,
  'virama and ZWJ': '\u094d\u200d',
  'leading jamo': '\u1100',
  bidi: '\u202e',
  'private use': '\ue000',
  'braille blank': '\u2800',
  newline: '\n',
  'line with a space': ' \n',
  'carriage return': '\r',
  'line separator': '\u2028',
  space: ' ',
  'space in words': `${' '.repeat(199)}a`,
  backtick: '`',
  fence: '```\n',
  'fence, closed': '```\n```\n',
  'long fence': `${'`'.repeat(20)}\n`,
  tilde: '~',
  heading: '## other-server\n',
  underline: 'a\n=\n',
  hash: '#',
  'special token': '<|im_start|>',
  'half a special token': '<|a',
  'authority tag': '<system>',
  link: '[https://a](https://b)',
  'half a link': '[https://a',
  'long half links': `[https://${'a'.repeat(300)}](x)`,
  'headings underlined by halves': `a\n${'='.repeat(300)}-\n`,
  'a word as other id': 'docs',
  'front matter': '---\n',
  role: 'Human:\n',
  marker: '… [truncated]',
  'other id': 'other-server ',
  'lone high surrogate': '\ud83d',
  'lone low surrogate': '\ude00',
  CJK: '請求書の一覧',
  hiragana: 'あ',
  emoji: '😀',
};

function hostileFragments() {
  const cases = JSON.parse(
    readFileSync(new URL('../test/fixtures/hostile-inputs.json', import.meta.url), 'utf8'),
  );
  const fragments = {};
  for (const { id, input, target } of cases) {
    if (target !== undefined || input === '') continue;
    if (typeof input === 'string') fragments[id] = input;
    else if (Array.isArray(input?.$gen)) {
      fragments[id] = input.$gen
        .map((part) => part.text ?? part.repeat.repeat(Math.min(part.times, 64)))
        .join('');
    }
  }
  return fragments;
}

const repeatedTo = (fragment, chars) => fragment.repeat(Math.ceil(chars / fragment.length)).slice(0, chars);

/** The shortest of several runs, in milliseconds of processor time: what else the machine does only ever adds. */
function timeOf(text, settings, runs) {
  let best = Number.POSITIVE_INFINITY;
  for (let run = 0; run < runs; run += 1) {
    const start = process.cpuUsage();
    admit(text, settings);
    const { user, system } = process.cpuUsage(start);
    best = Math.min(best, (user + system) / 1000);
  }
  return best;
}

const fragments = { ...hostileFragments(), ...synthetic };
const otherServers = ['other-server', 'docs'];
let failed = 0;

const configurations = [
  { name: 'cap 2,048', settings: { otherServers } },
  { name: 'cap 1 MiB', settings: { otherServers, maxChars: MEBI } },
  { name: 'cap 1 MiB, hashing left out', settings: { otherServers, maxChars: MEBI, sha256: () => '' } },
];

/** Times at a quarter, half and the whole of 1 MiB. */
function measure(text, settings, runs) {
  return [MEBI / 4, MEBI / 2, MEBI].map((chars) => timeOf(repeatedTo(text, chars), settings, runs));
}

for (const { name, settings } of configurations) {
  const plain = repeatedTo(english, MEBI);
  timeOf(plain, settings, 3);
  const base = timeOf(plain, settings, 9);
  // Below a few milliseconds growth is noise.
  const tooSlow = ([quarter, , whole]) =>
    whole > MOST_TIMES_ENGLISH * base || (whole > 5 && whole > MOST_GROWTH * quarter);
  const rows = Object.entries(fragments).map(([fragment, text]) => {
    let times = measure(text, settings, 3);
    // A machine that others use needs a second look.
    if (tooSlow(times)) times = measure(text, settings, 15);
    return { fragment, times, bad: tooSlow(times) };
  });
  rows.sort((a, b) => b.times[2] - a.times[2]);
  console.log(`\n${name}: English ${base.toFixed(2)} ms for 1 MiB; ${rows.length} fragments`);
  console.log('times English | n/4 ms | n/2 ms | n ms | fragment');
  for (const [place, { fragment, times, bad }] of rows.entries()) {
    if (bad) failed += 1;
    if (!bad && place >= 12 && !process.argv.includes('--all')) continue;
    const figures = [times[2] / base, ...times].map((figure) => figure.toFixed(2).padStart(8));
    console.log(`${figures.join(' |')} | ${fragment}${bad ? '  <-- TOO SLOW' : ''}`);
  }
}

if (failed > 0) {
  console.error(`\n${failed} too slow`);
  process.exitCode = 1;
}
