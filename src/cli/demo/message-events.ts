import type { AnswerBlock, AnswerMessage } from './messages-answer.js';

/** One event of a streamed answer. */
export interface MessageEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** Longest piece of a streamed text, in code points. */
const PIECE = 24;

/** By code point, so that no surrogate pair is split over two events. */
function pieces(text: string): string[] {
  const points = Array.from(text);
  const parts: string[] = [];
  for (let start = 0; start < points.length; start += PIECE) {
    parts.push(points.slice(start, start + PIECE).join(''));
  }
  return parts;
}

function textOf(block: AnswerBlock, field: string): string {
  const value = block[field];
  return typeof value === 'string' ? value : '';
}

/** What a block starts as, and the deltas that fill it. */
function partsOf(block: AnswerBlock): { start: AnswerBlock; deltas: readonly MessageEvent[] } {
  if (block.type === 'text') {
    const deltas = pieces(textOf(block, 'text')).map((text) => ({ type: 'text_delta', text }));
    return { start: { ...block, text: '' }, deltas };
  }
  if (block.type === 'tool_use') {
    const deltas = pieces(JSON.stringify(block['input'] ?? {})).map((part) => ({
      type: 'input_json_delta',
      partial_json: part,
    }));
    return { start: { ...block, input: {} }, deltas };
  }
  if (block.type === 'thinking') {
    const deltas: MessageEvent[] = pieces(textOf(block, 'thinking')).map((thinking) => ({
      type: 'thinking_delta',
      thinking,
    }));
    deltas.push({ type: 'signature_delta', signature: textOf(block, 'signature') });
    return { start: { ...block, thinking: '', signature: '' }, deltas };
  }
  return { start: block, deltas: [] };
}

/** The events in which a message is streamed, in order. */
export function* messageEvents(message: AnswerMessage): Generator<MessageEvent> {
  const { content, usage, stop_reason, stop_sequence } = message;
  const opened = { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } };
  yield { type: 'message_start', message: opened };
  for (const [index, block] of content.entries()) {
    const { start, deltas } = partsOf(block);
    yield { type: 'content_block_start', index, content_block: start };
    for (const delta of deltas) yield { type: 'content_block_delta', index, delta };
    yield { type: 'content_block_stop', index };
  }
  const { output_tokens } = usage;
  yield { type: 'message_delta', delta: { stop_reason, stop_sequence }, usage: { output_tokens } };
  yield { type: 'message_stop' };
}
