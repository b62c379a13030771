import { isObject } from '../values.js';
import type { MessagesMessage } from './messages-request.js';

/**
 * Finds the tool calls of an answer that a program of the model made (programmatic tool calling of the Messages API). The message that answers
 * one may hold tool results and nothing else: the API refuses any text beside them, also after them.
 *
 * @param message a message of the model
 * @returns the ids of such calls; `undefined` when there are none
 */
export function programCalls(message: MessagesMessage | undefined): ReadonlySet<unknown> | undefined {
  const content: unknown = message?.content;
  if (!Array.isArray(content)) return undefined;
  const ids = content.flatMap((block: unknown) => (isProgramCall(block) ? [block['id']] : []));
  return ids.length === 0 ? undefined : new Set(ids);
}

/** @param block a block of an answer */
export function isProgramCall(block: unknown): block is Record<string, unknown> {
  if (!isObject(block) || block['type'] !== 'tool_use') return false;
  const { caller } = block;
  return isObject(caller) && caller['type'] !== 'direct';
}

/**
 * @param message a message of the user
 * @param calls ids of calls that a program made
 */
export function answersProgram(message: MessagesMessage | undefined, calls: ReadonlySet<unknown>): boolean {
  const content: unknown = message?.content;
  if (!Array.isArray(content)) return false;
  return content.some(
    (block: unknown) => isObject(block) && block['type'] === 'tool_result' && calls.has(block['tool_use_id']),
  );
}
