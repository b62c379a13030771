import { isObject } from '../values.js';

function isAsyncIterable(value: object): value is AsyncIterable<unknown> {
  return Symbol.asyncIterator in value;
}

/**
 * Finds what an answer says it used, from what the SDK parsed: a message, or the events of a stream, of which only the
 * beginning is read.
 *
 * @param parsed what the SDK's `parse` gave
 * @returns `undefined` when the answer does not say
 */
export async function usageFrom(parsed: unknown): Promise<unknown> {
  if (!isObject(parsed)) return undefined;
  if (!isAsyncIterable(parsed)) return parsed['usage'];
  for await (const event of parsed) {
    if (!isObject(event) || event['type'] !== 'message_start') continue;
    return isObject(event['message']) ? event['message']['usage'] : undefined;
  }
  return undefined;
}
