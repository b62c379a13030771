const BACKSLASH = 0x5c;

/**
 * Finds where a string in a JSON text ends.
 *
 * @param text JSON
 * @param start its opening quote
 * @returns its closing quote; -1 when there is none
 */
export function endOfJsonString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let first = end;
    while (text.charCodeAt(first - 1) === BACKSLASH) first -= 1;
    if ((end - first) % 2 === 0) return end;
  }
  return -1;
}
