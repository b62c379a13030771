import { showText } from '../instructions/show-text.js';

/**
 * What came, for an error message: short values as they are, everything that may hold a secret by its type alone.
 *
 * @param value anything
 */
export function showValue(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return `'${showText(value)}'`;
    case 'bigint':
      return `${showText(String(value))}n`;
    case 'number':
    case 'boolean':
    case 'undefined':
      return String(value);
    case 'function':
    case 'symbol':
      return `a ${typeof value}`;
    default:
      return showType(value);
  }
}

/**
 * The type of what came, never its content.
 *
 * @param value anything
 */
export function showType(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
