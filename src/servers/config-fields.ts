import { notExpected } from '../errors.js';
import { kindOf } from '../values.js';

const maximumMs = 2_147_483_647;

/** Reads the fields of one server's configuration; every mistake names server and field. */
export class ConfigFields {
  readonly #label: string;
  readonly #value: object;

  constructor(label: string, value: unknown) {
    this.#label = label;
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw notExpected('INVALID_SERVER', label, 'an object', kindOf(value));
    this.#value = value;
  }

  has(field: string): boolean {
    return this.get(field) !== undefined;
  }

  /** Whether the field is there at all, `undefined` or not. */
  mentions(field: string): boolean {
    return Object.hasOwn(this.#value, field);
  }

  /** Own fields only, so that a polluted prototype does not speak for the host. */
  get(field: string): unknown {
    return Object.hasOwn(this.#value, field) ? Reflect.get(this.#value, field) : undefined;
  }

  fail(field: string, expected: string, got: unknown): never {
    throw notExpected('INVALID_SERVER', `${this.#label}: \`${field}\``, expected, kindOf(got));
  }

  text(field: string): string | undefined {
    const value = this.get(field);
    if (value === undefined) return undefined;
    if (typeof value !== 'string' || value === '') this.fail(field, 'a string that is not empty', value);
    if (value.includes('\0')) this.fail(field, 'a string without NUL', value);
    return value;
  }

  flag(field: string): boolean | undefined {
    const value = this.get(field);
    if (value === undefined || typeof value === 'boolean') return value;
    return this.fail(field, 'true or false', value);
  }

  whole(field: string, maximum: number = Number.MAX_SAFE_INTEGER): number | undefined {
    const value = this.get(field);
    if (value === undefined) return undefined;
    if (typeof value !== 'number' || !Number.isInteger(value) || value < 1 || value > maximum)
      this.fail(field, `a whole number from 1 to ${maximum}`, value);
    return value;
  }

  milliseconds(field: string): number | undefined {
    return this.whole(field, maximumMs);
  }

  texts(field: string): readonly string[] {
    const value = this.get(field);
    if (value === undefined) return [];
    if (!Array.isArray(value)) this.fail(field, 'an array of strings', value);
    return Object.freeze(
      value.map((item: unknown, index): string => {
        if (typeof item !== 'string' || item.includes('\0'))
          this.fail(`${field}[${index}]`, 'a string without NUL', item);
        return item;
      }),
    );
  }

  /** A record of strings as a map, so that `__proto__` is a key like others; `undefined` values are left out. */
  record(field: string, isKey: (key: string) => boolean, keyRule: string): ReadonlyMap<string, string> {
    const value = this.get(field);
    const entries = new Map<string, string>();
    if (value === undefined) return entries;
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      this.fail(field, 'an object of strings', value);
    for (const [key, item] of Object.entries(value)) {
      if (item === undefined) continue;
      if (!isKey(key)) this.fail(field, `keys that are ${keyRule}`, key);
      if (typeof item !== 'string' || item.includes('\0'))
        this.fail(`${field}.${key}`, 'a string without NUL', item);
      entries.set(key, item);
    }
    return entries;
  }
}
