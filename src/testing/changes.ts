import { blocksIn, isBlockText, stringsIn } from './look.js';

/**
 * Finds what of a host's is another thing in what was made of it, blocks aside. A text may have become a list that holds it, where a block
 * was put beside it.
 *
 * @param given the host's value
 * @param made what was made of it
 * @param words the texts that a message and a part of it hold beside what is said, such as `user`
 * @returns where, and what; `undefined` when there is nothing
 */
export function changeIn(given: unknown, made: unknown, words: ReadonlySet<string>): string | undefined {
  return change(given, made, { words, isStripped: blocksIn(made).length === 0 }, 'it');
}

interface Rules {
  readonly words: ReadonlySet<string>;
  /** Whether blocks were taken out, so that any text may have become a list. */
  readonly isStripped: boolean;
}

function change(given: unknown, made: unknown, rules: Rules, path: string): string | undefined {
  if (Array.isArray(made)) return changeOfList(given, made, rules, path);
  if (!isObject(given) || !isObject(made) || Array.isArray(given)) {
    return Object.is(given, made) ? undefined : `${path} is another`;
  }
  const [before, now] = [Object.keys(given), Object.keys(made)];
  if (before.join() !== now.join()) return `${path} had ${before.join()}, and now has ${now.join()}`;
  return firstOf(before, (key) => change(given[key], made[key], rules, `${path}.${key}`));
}

function changeOfList(
  given: unknown,
  made: readonly unknown[],
  rules: Rules,
  path: string,
): string | undefined {
  const kept = made.filter((item) => !isOurs(item, rules.words));
  if (typeof given === 'string') {
    const isFree = rules.isStripped || kept.length < made.length;
    const isSame = kept.length === 1 && saidIn(kept[0], rules.words).join() === given;
    return isFree && isSame ? undefined : `${path} was a text, and is lost in a list`;
  }
  if (!Array.isArray(given)) return `${path} is a list`;
  if (given.length !== kept.length) return `${path} had ${given.length} items, and now has ${kept.length}`;
  return firstOf([...kept.keys()], (at) => change(given[at], kept[at], rules, `${path}[${at}]`));
}

/** Whether a message or a part is ours: it holds a block and nothing else that is said. */
function isOurs(item: unknown, words: ReadonlySet<string>): boolean {
  const [block, ...others] = saidIn(item, words);
  return block !== undefined && others.length === 0 && isBlockText(block);
}

function saidIn(item: unknown, words: ReadonlySet<string>): string[] {
  return stringsIn(item).filter((text) => !words.has(text));
}

function firstOf<Item>(items: readonly Item[], find: (item: Item) => string | undefined): string | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
