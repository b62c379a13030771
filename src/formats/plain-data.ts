import { isObject, isPlain } from '../values.js';

const NOTHING: readonly unknown[] = [];

/**
 * A copy of a message with some fields changed.
 *
 * @throws TypeError for anything but plain data: a copy of an instance of a class would be another thing
 */
export function withFields<Message extends object>(message: Message, fields: Partial<Message>): Message {
  if (!isPlain(message)) throw new TypeError('no plain data');
  return { ...message, ...fields };
}

/** The list that plain data holds under a key; empty when there is none. */
export function listIn(value: unknown, key: string): readonly unknown[] {
  const list = isObject(value) && isPlain(value) ? value[key] : undefined;
  return Array.isArray(list) ? list : NOTHING;
}
