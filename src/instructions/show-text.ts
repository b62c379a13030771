const invisible = /[\p{C}\p{Zl}\p{Zp}]/gu;
const maxShownChars = 64;

/**
 * A foreign string made safe to print on one line: cut to a bounded length, with every control, format, unassigned or
 * line-breaking character (and every lone surrogate) written as `\u{hex}`.
 *
 * @param text anything
 * @param maxChars how much of `text` is shown, in UTF-16 units before escaping; the cut is marked with `…`
 */
export function showText(text: string, maxChars: number = maxShownChars): string {
  const kept = text.length > maxChars ? text.slice(0, maxChars).replace(/[\uD800-\uDBFF]$/, '') : text;
  const shown = kept.replaceAll(invisible, (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`);
  return kept === text ? shown : `${shown}…`;
}
