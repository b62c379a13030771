import { notExpected, type InstructionsError } from '../errors.js';
import { isRecord, kindOf } from '../values.js';
import { DELTA_KINDS, type DeltaKind } from './delta.js';

function wrong(where: string, expected: string, value: unknown): InstructionsError {
  return notExpected('INVALID_OPTION', `render: ${where}`, expected, kindOf(value));
}

function checkItem(kind: DeltaKind, where: string, item: unknown): void {
  if (kind === 'restored' || kind === 'removed') {
    if (typeof item !== 'string') throw wrong(where, 'an id', item);
    return;
  }
  if (!isRecord(item)) throw wrong(where, 'an object with id and text', item);
  for (const field of ['id', 'text']) {
    if (typeof item[field] !== 'string') throw wrong(`${where}.${field}`, 'a string', item[field]);
  }
}

/** @throws InstructionsError `INVALID_OPTION` when an id or a text is no string, or a kind is no array */
export function checkDelta(delta: unknown): void {
  if (!isRecord(delta)) throw wrong('delta', 'an object', delta);
  for (const kind of DELTA_KINDS) {
    const items = delta[kind];
    if (items === undefined) continue;
    if (!Array.isArray(items)) throw wrong(kind, 'an array', items);
    items.forEach((item: unknown, index) => checkItem(kind, `${kind}[${index}]`, item));
  }
}
