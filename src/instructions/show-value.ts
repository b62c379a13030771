import { kindOf } from '../values.js';
import { showText } from './show-text.js';

/**
 * What came, for an error: short values as they are, everything else by its kind alone. Only for fields that hold no secret; see `kindOf`.
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
      return String(value);
    default:
      return kindOf(value);
  }
}
