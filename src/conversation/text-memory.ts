import { digestKey, digestText } from './digest.js';

/** UTF-16 units that are kept at most, unless told otherwise: 8 MiB of text. */
const MAX_UNITS = 4_194_304;
/** What an entry counts beside its text. */
const ENTRY_UNITS = 256;
/** Engines hash longer strings by their length alone, so that all of one length would share one bucket of a map. */
const LONGEST_KEY = 16_383;

interface Entry<Value> {
  readonly text: string;
  readonly value: Value;
}

/**
 * Remembers what was made of texts. Bounded by what the texts hold, not by their number: some of them come from users. Of two
 * halves the older is dropped at once, so what is in use stays, and what is not goes.
 */
export class TextMemory<Value> {
  readonly #maxUnits: number;
  #recent: Map<string, Entry<Value>> = new Map();
  #older: ReadonlyMap<string, Entry<Value>> = new Map();
  #recentUnits = 0;

  /** @param maxUnits UTF-16 units that are kept at most; a text that takes more than half of it is not kept */
  constructor(maxUnits: number = MAX_UNITS) {
    this.#maxUnits = maxUnits;
  }

  /**
   * @param text any text
   * @param make what is remembered; asked only when it is not
   */
  of(text: string, make: (text: string) => Value): Value {
    const units = text.length + ENTRY_UNITS;
    if (units > this.#maxUnits / 2) return make(text);
    const key = keyOf(text);
    const recent = this.#recent.get(key);
    if (recent?.text === text) return recent.value;
    const older = this.#older.get(key);
    const entry = older?.text === text ? older : { text, value: make(text) };
    if (this.#recentUnits + units > this.#maxUnits / 2) {
      this.#older = this.#recent;
      this.#recent = new Map();
      this.#recentUnits = 0;
    }
    this.#recent.set(key, entry);
    this.#recentUnits += units;
    return entry.value;
  }
}

/** Texts with one key are told apart by themselves. */
function keyOf(text: string): string {
  return text.length > LONGEST_KEY ? `${digestKey(digestText(text, 0))} ${text.length}` : text;
}
