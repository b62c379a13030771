import { clean } from './clean.js';
import { latinLookAlike } from './look-alikes.js';

/** Latin characters that print alike in many fonts. */
const SAME_IN_PRINT: Readonly<Record<string, string>> = { i: 'l', '1': 'l', '|': 'l', '0': 'o' };

/**
 * Finds ids that a reader would take for one another: they differ only by case, Unicode form, white space around them, invisible
 * characters, or letters and dashes that print alike.
 *
 * @param ids server ids as the host gave them
 * @returns groups of two or more, ids and groups in code-unit order; the same id twice counts once
 */
export function alikeIds(ids: readonly string[]): string[][] {
  const groups = new Map<string, string[]>();
  for (const id of [...new Set(ids)].sort()) {
    const key = skeleton(id);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [id]);
    else group.push(id);
  }
  return [...groups.values()].filter((group) => group.length > 1);
}

function skeleton(id: string): string {
  const visible = clean(id.toWellFormed().replaceAll(/\s+/gu, ' ')).text.trim();
  let printed = '';
  for (const character of visible.normalize('NFKD')) {
    const letter = /[\p{Pd}−ー]/u.test(character) ? '-' : latinLookAlike(character);
    printed += SAME_IN_PRINT[letter] ?? letter;
  }
  return printed.replaceAll('rn', 'm').replaceAll('vv', 'w');
}
