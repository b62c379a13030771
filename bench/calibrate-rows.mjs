// The texts with known counts, as figures, and how well an estimate does on those that were left out of its fit.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { columns, designRow } from '../dist/cost/design-row.js';
import { contentOf, estimate } from '../dist/cost/calibration.js';
import { loadEncoding } from '../dist/cost/encoding.js';
import { features } from '../dist/cost/features.js';
import { O200k } from '../dist/cost/o200k.js';
import { runAtOnce } from '../dist/cost/pause.js';
import { profileInSteps } from '../dist/cost/profile.js';
import { quantile } from './calibrate-fit.mjs';

export const families = ['claude-3', 'claude-5'];
export const rowsFile = new URL('data/token-rows.json', import.meta.url);

/** Tokens of the message around a text: what a message of one letter is counted as, less one. */
const frames = { 'claude-3': 7, 'claude-4.7': 11, 'claude-5': 6 };

const udhrLatin =
  'ces dan deu_1996 fin fra hun ind ita nld pol por_BR por_PT ron_1993 spa swe swh tur vie'.split(' ');

const classes = {
  'English prose': ['eng', 'prose-en'],
  'English technical': ['readme-en'],
  code: ['rosetta', 'multipl_e'],
  Japanese: ['jpn', 'prose-ja'],
  Chinese: ['cmn_hans', 'cmn_hant', 'prose-zh'],
  Korean: ['kor', 'prose-ko'],
  'other Latin': [
    ...['de', 'fr', 'it', 'pl', 'pt', 'es', 'tr', 'vi'].map((language) => `prose-${language}`),
    ...udhrLatin,
  ],
};

const twoLetters = {
  arb: 'ar',
  cmn: 'zh',
  deu: 'de',
  eng: 'en',
  fra: 'fr',
  hin: 'hi',
  ita: 'it',
  jpn: 'ja',
  kor: 'ko',
  pol: 'pl',
  por: 'pt',
  rus: 'ru',
  spa: 'es',
  tha: 'th',
  tur: 'tr',
  vie: 'vi',
};

function languageOf({ set, id }) {
  if (set === 'udhr') return twoLetters[id.slice(0, 3)] ?? id.slice(0, 3);
  return set.startsWith('prose-') ? set.slice(6) : set;
}

/** Takes the figures of every text in the corpus. */
export async function takeRows(directory) {
  const o200k = runAtOnce(O200k.build(await loadEncoding()));
  const read = (name) =>
    readFileSync(join(directory, name), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  const row = (document, source, newest, frame) => {
    const { counts, ...rest } = runAtOnce(profileInSteps(o200k, document.text));
    return {
      group: document.set === 'udhr' ? document.id : document.set,
      language: languageOf(document),
      recorded: source === 'recorded',
      true: [document.claude_3_to_4_6 - frames['claude-3'], newest - frame],
      profile: {
        ...rest,
        counts: Object.fromEntries(
          features.flatMap((name, i) => (counts[i] === 0 ? [] : [[name, Number(counts[i].toFixed(2))]])),
        ),
      },
    };
  };
  return [
    ...read('claude-counts.jsonl').map((document) =>
      row(document, 'recorded', document.claude_4_7_to_5, frames['claude-4.7']),
    ),
    ...read('claude-counts-reconstructed.jsonl').map((document) =>
      row(document, 'reconstructed', document.claude_5, frames['claude-5']),
    ),
  ];
}

/** The figures that were taken. */
export function readRows() {
  if (!existsSync(rowsFile)) throw new Error('No figures yet: name the directory with the texts.');
  return JSON.parse(readFileSync(rowsFile, 'utf8')).map(
    ({ group, language, recorded, true: tokens, profile }) => {
      const full = { ...profile, counts: Float64Array.from(features, (name) => profile.counts[name] ?? 0) };
      return {
        recorded,
        language,
        kind: Object.keys(classes).find((name) => classes[name].includes(group)) ?? 'other scripts',
        tokens: Object.fromEntries(families.map((family, i) => [family, tokens[i]])),
        profile: full,
        design: designRow(full),
      };
    },
  );
}

/** Each text's estimate by weights that were fitted without it, and what content it is. */
export function heldOut(rows, family, fit) {
  const byLanguage = new Map();
  return rows.map((row, index) => {
    const weights = fit.without([index]);
    const truth = row.tokens[family];
    const parts = columns.map((name, j) => row.design[j] * weights[name]);
    const sum = add(parts);
    const shares = {};
    for (const [j, name] of columns.entries()) {
      shares[contentOf(name)] = (shares[contentOf(name)] ?? 0) + parts[j] / sum;
    }
    let strangers = byLanguage.get(row.language);
    if (strangers === undefined && row.kind === 'other Latin') {
      strangers = fit.without([...rows.keys()].filter((i) => rows[i].language === row.language));
      byLanguage.set(row.language, strangers);
    }
    return {
      row,
      truth,
      weights,
      shares,
      error: sum / truth - 1,
      /** The error of weights that were fitted without any text of this language. */
      strangerError:
        strangers === undefined
          ? undefined
          : add(columns.map((name, j) => row.design[j] * strangers[name])) / truth - 1,
    };
  });
}

function add(numbers) {
  return numbers.reduce((sum, number) => sum + number, 0);
}

const most = 0.7;
const margin = 1.25;

/** Half-widths: what 95 of 100 held-out texts of that content stay within, and a quarter more. */
export function widthsFrom(held, without) {
  const width = (content, errorOf = (item) => item.error) => {
    const errors = held
      .filter((item) => item !== without && (item.shares[content] ?? 0) >= most)
      .map((item) => Math.abs(errorOf(item)));
    return Number((Math.max(0.05, quantile(errors, 0.95)) * margin).toFixed(3));
  };
  const scripts = width('scripts');
  const rareScripts = width('rareScripts');
  return {
    english: width('english'),
    // Most of the world's languages with Latin letters are not in the corpus.
    latin: width('latin', (item) => item.strangerError ?? item.error),
    han: width('han'),
    kana: width('han'),
    hangul: width('hangul'),
    scripts,
    // Held out, a script with one text is one that was never seen; in use, one text of it was.
    rareScripts: Number(((scripts + rareScripts) / 2).toFixed(3)),
    otherScripts: rareScripts,
  };
}

/** Errors in percent, and how many texts lie in a band whose widths were taken without them. */
export function summarise(held) {
  const table = {};
  for (const kind of [...Object.keys(classes), 'other scripts']) {
    const items = held.filter((item) => item.row.kind === kind);
    const errors = items.map((item) => 100 * Math.abs(item.error));
    const bands = items.map((item) => {
      const { tokens, low, high } = estimate(
        { name: '', weights: item.weights, widths: widthsFrom(held, item) },
        item.row.profile,
      );
      return { isIn: low <= item.truth && item.truth <= high, half: (100 * (high - low)) / 2 / tokens };
    });
    table[kind] = {
      n: items.length,
      p50: rounded(quantile(errors, 0.5)),
      p90: rounded(quantile(errors, 0.9)),
      max: rounded(Math.max(...errors)),
      inBand: rounded((100 * bands.filter((band) => band.isIn).length) / items.length),
      halfWidth: rounded(
        quantile(
          bands.map((band) => band.half),
          0.5,
        ),
      ),
      maxHalfWidth: rounded(Math.max(...bands.map((band) => band.half))),
    };
  }
  return table;
}

function rounded(value) {
  return Number(value.toFixed(1));
}
