/** Gives the value of a variable, `undefined` where there is none. */
export type VariableSource = (name: string) => string | undefined;

/** A variable that has no value. */
export class UnknownVariable extends Error {
  /** As it is written between `${` and `}`. */
  readonly variable: string;
  /** The field that names it, such as `env.TOKEN`. */
  readonly field: string;

  constructor(variable: string, field: string) {
    super(variable);
    this.variable = variable;
    this.field = field;
  }
}

/**
 * Puts values in place of `${NAME}` and `${NAME:-default}` in every string inside of a JSON value. A default also stands in for an
 * empty value. Values are not expanded again.
 *
 * @param field the path of the value, for errors
 * @throws UnknownVariable
 */
export function expandVariables(value: unknown, source: VariableSource, field: string = ''): unknown {
  if (typeof value === 'string') return expandText(value, source, field);
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

function expandText(text: string, source: VariableSource, field: string): string {
  return text.replace(
    /\$\{([^{}]+?)(?::-([^{}]*))?\}/gu,
    (_match, name: string, fallback: string | undefined) => {
      const value = source(name);
      if (fallback !== undefined && (value === undefined || value === '')) return fallback;
      if (value === undefined) throw new UnknownVariable(name, field);
      return value;
    },
  );
}
