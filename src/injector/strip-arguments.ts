import { notExpected } from '../errors.js';
import { isObject, kindOf } from '../values.js';

/** @throws InstructionsError `INVALID_OPTION` for anything but an array */
export function checkMessages(messages: unknown): void {
  if (Array.isArray(messages)) return;
  throw notExpected('INVALID_OPTION', 'strip: messages', 'an array of messages', kindOf(messages));
}

/** @throws InstructionsError `INVALID_OPTION` for anything but a format */
export function checkFormat(format: unknown): void {
  if (isObject(format) && ['accepts', 'strip'].every((name) => typeof format[name] === 'function')) return;
  throw notExpected(
    'INVALID_OPTION',
    'stripRequest: format',
    'a format, such as `chatFormat()`',
    kindOf(format),
  );
}
