import { isObject } from '../values.js';

/** An answer of the Messages API, as far as a server-held thread needs it. */
export interface Answer {
  readonly id: string;
  readonly content: readonly AnswerBlock[];
}

interface AnswerBlock {
  readonly type: string;
  text?: string;
  content?: unknown;
  readonly id?: string;
}

function isBlock(value: unknown): value is AnswerBlock {
  return isObject(value) && typeof value['type'] === 'string';
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return isObject(value) && Symbol.asyncIterator in value;
}

function asAnswer(message: unknown): Answer | undefined {
  if (!isObject(message) || typeof message['id'] !== 'string' || !Array.isArray(message['content'])) {
    return undefined;
  }
  return { id: message['id'], content: message['content'].filter(isBlock) };
}

/**
 * Reads an answer from what the SDK parsed: a message, or the events of a stream.
 *
 * @param parsed what the SDK's `parse` gave
 * @param onId called with the answer's id as soon as it is known
 * @returns `undefined` when it is not a whole message
 */
export async function answerFrom(
  parsed: unknown,
  onId: (id: string | undefined) => void = () => {},
): Promise<Answer | undefined> {
  if (!isAsyncIterable(parsed)) return asAnswer(parsed);
  let id: string | undefined;
  const content: AnswerBlock[] = [];
  let isWhole = false;
  for await (const event of parsed) {
    if (!isObject(event)) continue;
    const index = event['index'];
    if (event['type'] === 'message_start') {
      id = asAnswer(event['message'])?.id;
      onId(id);
    }
    if (event['type'] === 'message_stop') isWhole = true;
    if (typeof index !== 'number') continue;
    const started = event['content_block'];
    if (event['type'] === 'content_block_start' && isBlock(started)) {
      content[index] = { ...started };
    }
    const delta = event['delta'];
    const block = content[index];
    if (event['type'] === 'content_block_delta' && block !== undefined && isObject(delta)) {
      if (typeof delta['text'] === 'string') block.text = (block.text ?? '') + delta['text'];
      // The summary itself is of no use here, only that there is one.
      if (typeof delta['content'] === 'string') block.content = delta['content'];
    }
  }
  return id === undefined || !isWhole ? undefined : { id, content: content.filter(isObject) };
}
