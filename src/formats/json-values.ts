import { isObject } from '../values.js';

/** Whether a value is an array of objects, without holes. */
export function isObjects(value: unknown): value is readonly Record<string, unknown>[] {
  if (!Array.isArray(value)) return false;
  // Not `every`, which passes over holes.
  for (const item of value as readonly unknown[]) if (!isObject(item)) return false;
  return true;
}

/** The strings under one key of each object. */
export function idsIn(values: readonly unknown[], key: string): string[] {
  return values.flatMap((value) => {
    const id = isObject(value) ? value[key] : undefined;
    return typeof id === 'string' ? [id] : [];
  });
}

/**
 * The text of a part.
 *
 * @param types the types of parts that hold a text
 * @returns `undefined` when the part is of another type
 */
export function textIn(
  part: { readonly type?: unknown; readonly text?: unknown },
  types: ReadonlySet<unknown>,
): string | undefined {
  return types.has(part.type) && typeof part.text === 'string' ? part.text : undefined;
}
