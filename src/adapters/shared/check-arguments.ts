import { notExpected } from '../../errors.js';
import { isObject, isRecord, kindOf } from '../../values.js';

/** The methods that adapters use of a conversation. */
type Method = 'middleware' | 'prepare' | 'prepareCall';

/** Whether a value is a conversation, as far as an adapter needs one. */
export function isConversation(value: unknown, method: Method): boolean {
  return isObject(value) && typeof value[method] === 'function';
}

/**
 * @param call the function that was called
 * @param method what it needs of the conversation
 * @throws InstructionsError `INVALID_OPTION` for anything but a conversation, such as the injector itself
 */
export function checkConversation(call: string, conversation: unknown, method: Method): void {
  if (isConversation(conversation, method)) return;
  throw notExpected(
    'INVALID_OPTION',
    `${call}: conversation`,
    'a conversation of `injector.conversation()`',
    kindOf(conversation),
  );
}

/**
 * @param call the function that was called
 * @param options what came as its options; `null` counts as none
 * @throws InstructionsError `INVALID_OPTION` for anything but an object
 */
export function checkOptions(call: string, options: unknown): void {
  if (options === undefined || options === null || isRecord(options)) return;
  throw notExpected('INVALID_OPTION', `${call}: options`, 'an object', kindOf(options));
}
