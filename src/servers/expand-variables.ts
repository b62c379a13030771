/** Gives the value of a variable, `undefined` where there is none. */
export type VariableSource = (name: string) => string | undefined;

/** What stands in a text in place of a value cannot be expanded. */
export class ExpansionError extends Error {
  /** What was expected, and what came; no value is shown. */
  readonly expectation: string;
  /** The field that names it, such as `env.TOKEN`. */
  readonly field: string;

  constructor(expectation: string, field: string) {
    super(expectation);
    this.expectation = expectation;
    this.field = field;
  }
}

/** Defaults within defaults; hosts use one or two. */
const DEEPEST = 16;
/** A name, and whether a default follows. */
const REFERENCE = /\$\{([^{}]+?)(:-|\})/uy;

/**
 * Puts values in place of `${NAME}` and `${NAME:-default}` in every string inside of a JSON value. A default also stands in for an
 * empty value, and may itself hold variables. Values are not expanded again.
 *
 * @param field the path of the value, for errors
 * @throws ExpansionError for a variable without a value, and for a default without an end
 */
export function expandVariables(value: unknown, source: VariableSource, field: string = ''): unknown {
  if (typeof value === 'string') return expandText(value, { source, field, depth: 0 });
  if (Array.isArray(value))
    return value.map((item: unknown, index) => expandVariables(item, source, `${field}[${index}]`));
  if (typeof value !== 'object' || value === null) return value;
  // Entries, so that a key such as `__proto__` stays a key.
  return Object.fromEntries(
    Object.entries(value).map(([key, item]: [string, unknown]) => [
      key,
      expandVariables(item, source, field === '' ? key : `${field}.${key}`),
    ]),
  );
}

interface Expansion {
  readonly source: VariableSource;
  readonly field: string;
  /** How many defaults the text stands in. */
  readonly depth: number;
}

function expandText(text: string, expansion: Expansion): string {
  const { source, field } = expansion;
  let expanded = '';
  let done = 0;
  for (let at = text.indexOf('${'); at !== -1; at = text.indexOf('${', Math.max(at + 2, done))) {
    REFERENCE.lastIndex = at;
    const [start = '', name = '', end] = REFERENCE.exec(text) ?? [];
    if (start === '') continue;
    const from = at + start.length;
    const value = source(name);
    expanded += text.slice(done, at);
    done = from;
    if (end === ':-') {
      const close = endOfDefault(text, from);
      if (close === -1) throw new ExpansionError(`expected a \`}\` after \${${name}:-, found none`, field);
      expanded += value || expandDefault(text.slice(from, close), expansion);
      done = close + 1;
    } else {
      if (value === undefined)
        throw new ExpansionError(`expected a value for \${${name}}, found none`, field);
      expanded += value;
    }
  }
  return expanded + text.slice(done);
}

function expandDefault(text: string, { source, field, depth }: Expansion): string {
  if (depth === DEEPEST)
    throw new ExpansionError(`expected at most ${DEEPEST} defaults in one another`, field);
  return expandText(text, { source, field, depth: depth + 1 });
}

/** Where the bracket stands that closes a default; brackets within it come in pairs. */
function endOfDefault(text: string, from: number): number {
  let open = 1;
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === '{') open += 1;
    else if (text[at] === '}') open -= 1;
    if (open === 0) return at;
  }
  return -1;
}
