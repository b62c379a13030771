/** Whether a value is an object; an array is one too. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** Whether a value is an object and no array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return isObject(value) && !Array.isArray(value);
}

/**
 * Whether an object is plain data, so that a copy of its own properties is the same: no instance of a class, and nothing that writes itself
 * with `toJSON`. Made in another realm, it is one too.
 */
export function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  const isRoot = prototype === null || Object.getPrototypeOf(prototype) === null;
  return isRoot && !('toJSON' in value);
}

/** What a class is called, by custom: anything else may be the work of a bundler, or no name at all. */
const className = /^[A-Z]\w{1,63}$/;

/**
 * What kind of value came, for an error: never its content, which may be a secret. Never throws.
 *
 * @param value anything
 * @returns such as `undefined`, `a string`, `an array` or `an object (URL)`
 */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (value === '') return 'an empty string';
  if (typeof value !== 'object') return `a ${typeof value}`;
  try {
    if (Array.isArray(value)) return 'an array';
    const name = classOf(value);
    return name === undefined ? 'an object' : `an object (${name})`;
  } catch {
    // A proxy may throw at anything.
    return 'an object';
  }
}

/** The name of the class that made an object, from what the object inherits: what it holds itself may be anybody's. */
function classOf(value: object): string | undefined {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (!isObject(prototype) || prototype === Object.prototype) return undefined;
  const made: unknown = prototype['constructor'];
  const name: unknown = typeof made === 'function' ? made.name : undefined;
  return typeof name === 'string' && name !== 'Object' && className.test(name) ? name : undefined;
}
