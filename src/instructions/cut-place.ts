import { cleanText, examinedChars, withoutUnseen } from './admit.js';
import { escapeSequences } from './clean.js';
import { normaliseLineEnds } from './line-ends.js';
import { neutraliseReservedTags } from './reserved-tags.js';

/** For each unit of a text, and for its end, where it stood before a pass. */
type Places = Uint32Array;

/**
 * Where in a text as received the part starts that a cap keeps from a model. What admission removed right at the cut counts as before it.
 *
 * @param text as received, of at most 1 MiB
 * @param maxChars the cap it was admitted with
 * @param keptChars what admission kept of the cleaned text
 * @returns a position in UTF-16 units; the text's length when nothing is hidden
 */
export function placeOfCut(text: string, maxChars: number, keptChars: number): number {
  const wellFormed = text.toWellFormed();
  const examined = wellFormed.slice(0, examinedChars(wellFormed, maxChars));
  const lines = normaliseLineEnds(examined);
  const plain = withoutEscapes(lines);
  const visible = withoutUnseen(lines, {});
  const cleaned = cleanText(examined, {});
  if (keptChars >= cleaned.length) return examined.length;
  // Neutralising replaces one by one.
  const places = [
    placesIn(neutraliseReservedTags(visible).text, cleaned),
    placesIn(plain.text, visible),
    plain.places,
    placesOfLines(examined, lines),
  ];
  return places.reduce((place, before) => before[place] ?? examined.length, keptChars);
}

/** Every line end is one unit afterwards. */
function placesOfLines(received: string, lines: string): Places {
  const places = new Uint32Array(lines.length + 1);
  let at = 0;
  for (let index = 0; index < lines.length; index += 1) {
    places[index] = at;
    at += received.startsWith('\r\n', at) ? 2 : 1;
  }
  places[lines.length] = at;
  return places;
}

/** The one pass that removes what could also be part of the text beside it, so that its places are counted and not compared. */
function withoutEscapes(lines: string): { text: string; places: Places } {
  const parts: string[] = [];
  const places = new Uint32Array(lines.length + 1);
  let length = 0;
  let done = 0;
  const keep = (end: number): void => {
    for (let at = done; at < end; at += 1) {
      places[length] = at;
      length += 1;
    }
    parts.push(lines.slice(done, end));
  };
  for (const { index, 0: sequence } of lines.matchAll(escapeSequences)) {
    keep(index);
    done = index + sequence.length;
  }
  keep(lines.length);
  places[length] = lines.length;
  return { text: parts.join(''), places };
}

/**
 * Of passes that remove only: characters that never stay, such as controls, or the end of a run of which the start stays. So the first
 * place where a character can have stood is where it stood, or in the same white space.
 */
function placesIn(before: string, after: string): Places {
  const places = new Uint32Array(after.length + 1);
  let at = 0;
  for (let index = 0; index < after.length;) {
    const point = after.codePointAt(index) ?? 0;
    while (at < before.length && before.codePointAt(at) !== point) at += unitsOf(before.codePointAt(at) ?? 0);
    for (const end = index + unitsOf(point); index < end; index += 1) {
      places[index] = at;
      at += 1;
    }
  }
  places[after.length] = Math.min(at, before.length);
  return places;
}

function unitsOf(point: number): number {
  return point > 0xffff ? 2 : 1;
}
