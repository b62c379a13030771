import { features, type Feature, type Profile } from './features.js';

/**
 * Features of Latin words. They weigh differently in English and code than in the other languages with Latin letters,
 * for which a second set of columns stands; there the rank of a word tells less, so that most ranks share one.
 */
const foreignColumns: Readonly<Partial<Record<Feature, string>>> = {
  words2k: 'words2k:foreign',
  words4k: 'wordsRarer:foreign',
  words8k: 'wordsRarer:foreign',
  words16k: 'wordsRarer:foreign',
  wordsRare: 'wordsRarer:foreign',
  lettersRare: 'lettersRare:foreign',
  wordsSplit: 'wordsSplit:foreign',
  lettersSplit: 'lettersSplit:foreign',
  lettersAccented: 'lettersAccented:foreign',
};
// The share of letters in words the encoding does not hold: 0.03 in English prose, 0.15 in code, 0.3 to 0.9 in others.
const foreignFrom = 0.27;
const foreignSlope = 0.05;
const lettersPerFrequentWord = 4.2;

/** Names of what a calibration weighs. */
export const columns: readonly string[] = [...features, ...new Set(Object.values(foreignColumns))];

const columnIndex: ReadonlyMap<string, number> = new Map(columns.map((name, position) => [name, position]));
/** For each feature the index of its second column, or -1. */
const foreignIndex: readonly number[] = features.map(
  (name) => columnIndex.get(foreignColumns[name] ?? '') ?? -1,
);

/**
 * Spreads a profile over the {@link columns}. Weighed and added up, they give the estimate.
 *
 * @param profile what the text is made of
 */
export function designRow(profile: Profile): Float64Array {
  const row = new Float64Array(columns.length);
  const foreign = foreignShare(profile);
  for (const [index, count] of profile.counts.entries()) {
    const second = foreignIndex[index]!;
    row[index] = second < 0 ? count : count * (1 - foreign);
    if (second >= 0) row[second]! += count * foreign;
  }
  return row;
}

/** How far the Latin words of a text are of another language than English, 0 to 1. */
function foreignShare({ counts }: Profile): number {
  const of = (name: Feature): number => counts[columnIndex.get(name)!]!;
  const unknown = of('lettersSplit') + of('lettersAccented');
  const frequent = of('words2k') + of('words4k') + of('words8k') + of('words16k');
  const letters = unknown + of('lettersRare') + frequent * lettersPerFrequentWord;
  return letters === 0 ? 0 : 1 / (1 + Math.exp((foreignFrom - unknown / letters) / foreignSlope));
}
