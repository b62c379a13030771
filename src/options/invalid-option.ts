import { InstructionsError } from '../errors.js';

/**
 * The error for a wrong option.
 *
 * @param field the option
 * @param expected what is accepted
 * @param shown what came, made safe to show; see `showValue` and `showType`
 */
export function invalidOption(field: string, expected: string, shown: string): InstructionsError {
  return new InstructionsError('INVALID_OPTION', `${field}: expected ${expected}, got ${shown}`);
}
