import { notExpected } from '../errors.js';
import { showValue } from '../instructions/show-value.js';
import { isRecord, kindOf } from '../values.js';
import type { FormatShape } from './format-shape.js';

type Shape = FormatShape<unknown, object, object>;

/** Every function of a shape, and whether it must be there. */
const functions: Readonly<Record<Exclude<keyof Shape, 'name'>, boolean>> = {
  accepts: true,
  messages: true,
  withMessages: true,
  role: true,
  parts: true,
  withParts: true,
  userMessage: true,
  textPart: true,
  textOf: true,
  results: true,
  answer: true,
  resultOf: false,
  keyOf: false,
  continues: false,
  readAnswer: false,
};

/** @throws InstructionsError `INVALID_OPTION` when a function of a format's shape is not there or is none */
export function checkShape(shape: unknown): void {
  if (!isRecord(shape)) throw notExpected('INVALID_OPTION', 'shape', 'an object of functions', kindOf(shape));
  if (typeof shape['name'] !== 'string')
    throw notExpected('INVALID_OPTION', 'shape.name', 'a string', kindOf(shape['name']));
  for (const [name, isNeeded] of Object.entries(functions)) {
    const value = shape[name];
    if (typeof value === 'function' || (value === undefined && !isNeeded)) continue;
    throw notExpected('INVALID_OPTION', `shape.${name}`, 'a function', kindOf(value));
  }
}

/** @throws InstructionsError `INVALID_OPTION` for wrong options of a format; `null` counts as none */
export function checkFormatOptions(options: unknown): void {
  if (options === undefined || options === null) return;
  if (!isRecord(options)) throw notExpected('INVALID_OPTION', 'options', 'an object', kindOf(options));
  const { afterTools } = options;
  if (afterTools === undefined || afterTools === 'message' || afterTools === 'hold') return;
  throw notExpected('INVALID_OPTION', 'afterTools', "'message' or 'hold'", showValue(afterTools));
}
