// Non-negative weighted least squares, and what it leaves out to be honest about its errors.
import { columns } from '../dist/cost/design-row.js';

const ridge = 0.005;
/** Letters of scripts whose every letter has one weight; a script that was not seen gets their mean. */
const letterColumns = ['Greek', 'Hebrew', 'Devanagari', 'Bengali', 'Tamil', 'Thai'].map(
  (name) => `letters${name}`,
);

/** A word is one token at least. (In other languages than English, a piece with its own column may be less than a word.) */
const floors = columns.map((name) => (/^words(?:\d+k|Rare)$/.test(name) ? 1 : 0));

/** Keeps the sums that a fit needs, so that one document is left out at the cost of one row. */
export class Fit {
  #scales;
  #gram;
  #moments;
  #rows;
  /** What is left of each target, 1, above the floors. */
  #rests;
  #start;

  /** @param {{ row: Float64Array, tokens: number }[]} samples what each text is made of, and its true tokens */
  constructor(samples) {
    // Errors count in proportion to the text: every document weighs the same.
    this.#rows = samples.map(({ row, tokens }) => Float64Array.from(row, (value) => value / tokens));
    this.#rests = this.#rows.map((row) => 1 - row.reduce((sum, value, j) => sum + value * floors[j], 0));
    this.#scales = columns.map(
      (_, j) => Math.sqrt(this.#rows.reduce((sum, row) => sum + row[j] ** 2, 0) / samples.length) || 1,
    );
    for (const row of this.#rows) for (let j = 0; j < row.length; j++) row[j] /= this.#scales[j];
    const size = columns.length;
    this.#gram = Array.from({ length: size }, () => new Float64Array(size));
    this.#moments = new Float64Array(size);
    for (const index of this.#rows.keys()) this.#add(index, 1);
    this.#start = this.#solve();
  }

  /** The weights that fit all samples. */
  all() {
    return this.#weights(this.#start);
  }

  /** The weights that fit all samples but some. */
  without(indexes) {
    for (const index of indexes) this.#add(index, -1);
    const weights = this.#weights(this.#solve());
    for (const index of indexes) this.#add(index, 1);
    return weights;
  }

  #add(index, sign) {
    const row = this.#rows[index];
    for (let i = 0; i < row.length; i++) {
      if (row[i] === 0) continue;
      this.#moments[i] += sign * row[i] * this.#rests[index];
      for (let j = 0; j < row.length; j++) this.#gram[i][j] += sign * row[i] * row[j];
    }
  }

  /** Coordinate descent for what goes on top of the floors. */
  #solve() {
    const solution =
      this.#start === undefined ? new Float64Array(columns.length) : Float64Array.from(this.#start);
    for (let sweep = 0; sweep < 50_000; sweep++) {
      let change = 0;
      for (let i = 0; i < solution.length; i++) {
        let rest = this.#moments[i];
        for (let j = 0; j < solution.length; j++) if (j !== i) rest -= this.#gram[i][j] * solution[j];
        const next = Math.max(0, rest / (this.#gram[i][i] + ridge));
        change = Math.max(change, Math.abs(next - solution[i]));
        solution[i] = next;
      }
      if (change < 1e-9) break;
    }
    return solution;
  }

  #weights(solution) {
    const weights = Object.fromEntries(
      columns.map((name, j) => [name, floors[j] + solution[j] / this.#scales[j]]),
    );
    const seen = letterColumns.filter(
      (name) => this.#gram[columns.indexOf(name)][columns.indexOf(name)] > 1e-9,
    );
    const mean = seen.reduce((sum, name) => sum + weights[name], 0) / seen.length;
    for (const name of [...letterColumns, 'lettersOther']) if (!seen.includes(name)) weights[name] = mean;
    return weights;
  }
}

/** The value below which a share of the numbers lies. */
export function quantile(numbers, share) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const position = (sorted.length - 1) * share;
  const below = Math.floor(position);
  return sorted[below] + (position - below) * ((sorted[below + 1] ?? sorted[below]) - sorted[below]);
}
