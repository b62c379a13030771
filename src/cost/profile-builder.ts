import { features, type Feature, type Profile } from './features.js';
import { kindOf, kinds, type Kind } from './scripts.js';

/** From how many UTF-16 units on a run is odd; plain text stays below. Scripts without spaces have no such limit. */
const oddWordUnits = 40;
const oddSignUnits = 24;
const oddWideSignUnits = 8;
const oddSpaceUnits = 64;
/** Ideographs at random take more tokens than they are; in plain text they take fewer. */
const oddTokensPerLetter = 1.3;
const oddIdeographUnits = 8;
/** A run of this length with a smaller share of different characters is a repetition. */
const repetitionUnits = 32;
const repetitionShare = 0.2;

/** The letters that are counted by script, and the feature each counts for. */
const scripts: readonly (readonly [Kind, Feature])[] = [
  [kinds.greek, 'lettersGreek'],
  [kinds.cyrillic, 'lettersCyrillic'],
  [kinds.hebrew, 'lettersHebrew'],
  [kinds.arabic, 'lettersArabic'],
  [kinds.devanagari, 'lettersDevanagari'],
  [kinds.bengali, 'lettersBengali'],
  [kinds.tamil, 'lettersTamil'],
  [kinds.thai, 'lettersThai'],
  [kinds.han, 'lettersHan'],
  [kinds.kana, 'lettersKana'],
  [kinds.hangul, 'lettersHangul'],
  [kinds.other, 'lettersOther'],
];
const featureIndex: ReadonlyMap<Feature, number> = new Map(features.map((name, index) => [name, index]));
const kindCount: number = Object.keys(kinds).length;

/** Adds the pieces of a text up to its {@link Profile}. */
export class ProfileBuilder {
  readonly #text: string;
  readonly #counts: Float64Array = new Float64Array(features.length);
  /** Characters of the piece at hand, by kind. */
  readonly #ofKind: Uint32Array = new Uint32Array(kindCount);
  #bytes = 0;
  #oddTokens = 0;
  #oddBytes = 0;

  /** @param text the text that the pieces are from */
  constructor(text: string) {
    this.#text = text;
  }

  /** Takes note of the next piece; see `PieceVisitor`. */
  add(start: number, end: number, tokens: number, rank: number): void {
    const text = this.#text;
    const ofKind = this.#ofKind.fill(0);
    let characters = 0;
    let bytes = 0;
    for (let i = start; i < end; i++) {
      const codePoint = text.codePointAt(i)!;
      ofKind[kindOf(codePoint)]!++;
      characters++;
      if (codePoint < 0x80) bytes += 1;
      else if (codePoint < 0x800) bytes += 2;
      else if (codePoint < 0x10000) bytes += 3;
      else {
        bytes += 4;
        i++;
      }
    }
    const spaces = ofKind[kinds.space]!;
    const signs = ofKind[kinds.symbol]!;
    const letters = characters - spaces - signs - ofKind[kinds.digit]!;
    let plainUnits = Infinity;
    if (letters > 0) {
      this.#addWord(start, tokens, rank, letters);
      if (letters > bytes / 2) plainUnits = oddWordUnits;
      else if (tokens > letters * oddTokensPerLetter && this.#hasIdeographs()) plainUnits = oddIdeographUnits;
    } else if (spaces === characters) {
      this.#note('spaceTokens', tokens);
      plainUnits = oddSpaceUnits;
    } else if (signs > 0) {
      const wide = bytes - characters;
      this.#addSigns(end, tokens, signs, wide);
      plainUnits = wide > 0 ? oddWideSignUnits : oddSignUnits;
    } else {
      this.#note('numbers', 1);
    }
    this.#bytes += bytes;
    if (end - start >= plainUnits || this.#isRepetition(start, end)) {
      this.#oddTokens += tokens;
      this.#oddBytes += bytes;
    }
  }

  /** @param tokens of the whole text */
  finish(tokens: number): Profile {
    const [bytes, oddTokens, oddBytes] = [this.#bytes, this.#oddTokens, this.#oddBytes];
    return { tokens, bytes, counts: this.#counts, oddTokens, oddBytes };
  }

  #addWord(start: number, tokens: number, rank: number, letters: number): void {
    const ofKind = this.#ofKind;
    const upper = ofKind[kinds.upper]!;
    const ascii = ofKind[kinds.lower]! + upper;
    const latin = ascii + ofKind[kinds.latin]! + ofKind[kinds.mark]!;
    if (latin < letters) {
      this.#addScripts(tokens, letters, ascii);
      return;
    }
    const first = kindOf(this.#text.codePointAt(start)!);
    if (first === kinds.symbol) this.#note('wordsGlued', 1);
    else if (first !== kinds.space) this.#note('wordsUnspaced', 1);
    if (upper > 1 && upper === letters) this.#note('capitals', letters);
    else if (upper === 1) this.#note('capitalised', 1);
    if (rank < 0) {
      this.#note('wordsSplit', 1);
      this.#note('lettersSplit', letters);
    } else if (ascii < letters) this.#note('lettersAccented', letters);
    else if (rank < 2_048) this.#note('words2k', 1);
    else if (rank < 4_096) this.#note('words4k', 1);
    else if (rank < 8_192) this.#note('words8k', 1);
    else if (rank < 16_384) this.#note('words16k', 1);
    else {
      this.#note('wordsRare', 1);
      this.#note('lettersRare', letters);
    }
  }

  #addScripts(tokens: number, letters: number, ascii: number): void {
    const ofKind = this.#ofKind;
    // A rare ideograph is several tokens in any vocabulary; plain text has fewer tokens than ideographs.
    const rarity = Math.max(1, tokens / letters);
    for (const [kind, feature] of scripts) {
      if (ofKind[kind]! > 0)
        this.#note(feature, ofKind[kind]! * (kind >= kinds.han && kind <= kinds.hangul ? rarity : 1));
    }
    if (ofKind[kinds.cyrillic]! > 0) this.#note('wordsCyrillic', 1);
    if (ofKind[kinds.arabic]! > 0) this.#note('wordsArabic', 1);
    // The pattern does not part Latin words from ideographs around them; such words are mostly terms.
    if (ascii > 0) this.#note('words8k', 1);
  }

  #addSigns(end: number, tokens: number, signs: number, wide: number): void {
    const last = this.#text.charCodeAt(end - 1);
    this.#note('symbolTokens', tokens);
    if (signs === 2) this.#note('symbolPairs', 1);
    if (last === 0x0a || last === 0x0d) this.#note('symbolBreaks', 1);
    if (wide > 0) this.#note('symbolsWide', Math.ceil(wide / 2));
  }

  #hasIdeographs(): boolean {
    return this.#ofKind[kinds.han]! + this.#ofKind[kinds.kana]! + this.#ofKind[kinds.hangul]! > 0;
  }

  #isRepetition(start: number, end: number): boolean {
    const units = end - start;
    if (units < repetitionUnits) return false;
    return new Set(this.#text.slice(start, end)).size < units * repetitionShare;
  }

  #note(feature: Feature, amount: number): void {
    this.#counts[featureIndex.get(feature)!]! += amount;
  }
}
