import { isObject } from '../../src/values.js';
/** What the real APIs refuse. Each function gives the fault of a body; `undefined` when it would be answered. */

type Json = Readonly<Record<string, unknown>>;

/** How strict an endpoint of Chat Completions is about who may follow whom. */
export type ChatManners = 'openai' | 'mistral';

function objects(value: unknown): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : [];
}

function commonFault(raw: string, body: Json, list: readonly Json[]): string | undefined {
  if (/\\u[dD][89a-fA-F][0-9a-fA-F]{2}/.test(raw) || !raw.isWellFormed()) return 'a lone surrogate';
  if (list.length === 0 && body['thread'] === undefined) return 'no messages';
  for (const [index, { content }] of list.entries()) {
    if (!Array.isArray(content)) continue;
    if (content.length === 0) return `${index}: content is empty`;
    for (const part of objects(content)) {
      if (String(part['type']).includes('text') && part['text'] === '') return `${index}: a text is empty`;
    }
  }
  return undefined;
}

/** Every call is to be answered, at once and only once. */
class OpenCalls {
  readonly #open: Set<string> = new Set();

  call(id: unknown): void {
    this.#open.add(String(id));
  }

  answer(id: unknown, at: number): string | undefined {
    return this.#open.delete(String(id)) ? undefined : `${at}: an answer to no call`;
  }

  fault(at: number): string | undefined {
    return this.#open.size === 0
      ? undefined
      : `${at}: calls without an answer: ${[...this.#open].join(', ')}`;
  }
}

/** Chat Completions. */
export function chatFault(raw: string, body: Json, manners: ChatManners): string | undefined {
  const messages = objects(body['messages']);
  const common = commonFault(raw, body, messages);
  if (common !== undefined) return common;
  const open = new OpenCalls();
  let before = '';
  for (const [at, message] of messages.entries()) {
    const role = String(message['role']);
    if (!['system', 'developer', 'user', 'assistant', 'tool'].includes(role)) return `${at}: role ${role}`;
    if (role === 'tool') {
      const fault = open.answer(message['tool_call_id'], at);
      if (fault !== undefined) return fault;
      if (before !== 'tool' && before !== 'assistant') return `${at}: a tool message after ${before}`;
    } else {
      const fault = open.fault(at);
      if (fault !== undefined) return fault;
    }
    for (const part of objects(message['content'])) {
      if (!['text', 'image_url', 'file', 'input_audio', 'refusal'].includes(String(part['type']))) {
        return `${at}: a part of type ${String(part['type'])}`;
      }
    }
    if (manners === 'mistral' && role === 'user' && (before === 'tool' || before === 'user')) {
      return `Expected last role Assistant or Tool, got user after ${before}`;
    }
    for (const call of objects(message['tool_calls'])) open.call(call['id']);
    before = role;
  }
  return open.fault(messages.length);
}

/**
 * The Responses API.
 *
 * @param earlier the items that the API keeps of the thread
 */
export function responsesFault(raw: string, body: Json, earlier: readonly Json[]): string | undefined {
  const input = body['input'];
  if (typeof input === 'string') return input === '' ? 'input is empty' : commonFault(raw, body, [{}]);
  const fault = commonFault(raw, body, objects(input));
  if (fault !== undefined) return fault;
  const items = [...earlier, ...objects(input)];
  const open = new OpenCalls();
  let isAnswered = false;
  for (const [at, item] of items.entries()) {
    const type = item['type'];
    if (type === 'function_call') {
      open.call(item['call_id']);
      isAnswered = false;
    } else if (type === 'function_call_output') {
      const wrong = open.answer(item['call_id'], at);
      if (wrong !== undefined) return wrong;
      isAnswered = true;
    } else if (item['role'] === 'user') {
      const wrong = open.fault(at);
      if (wrong !== undefined) return `${wrong}${isAnswered ? ', and one has' : ''}`;
      for (const part of objects(item['content'])) {
        if (!['input_text', 'input_image', 'input_file'].includes(String(part['type']))) {
          return `${at}: a part of type ${String(part['type'])}`;
        }
      }
    }
  }
  return open.fault(items.length);
}

/** The Messages API. */
export function messagesFault(raw: string, body: Json): string | undefined {
  const messages = objects(body['messages']);
  const common = commonFault(raw, body, messages);
  if (common !== undefined) return common;
  let open: string[] = [];
  const ofPrograms = new Set<string>();
  for (const [at, message] of messages.entries()) {
    const role = String(message['role']);
    if (role !== 'user' && role !== 'assistant') return `${at}: role ${role}`;
    const content = objects(message['content']);
    const results = content
      .filter(({ type }) => type === 'tool_result')
      .map((block) => String(block['tool_use_id']));
    if (role === 'user') {
      const first = content.slice(0, results.length);
      if (first.some(({ type }) => type !== 'tool_result')) return `${at}: tool results are to come first`;
      if (open.some((id) => !results.includes(id))) return `${at}: tool_use without tool_result`;
      if (results.some((id) => !open.includes(id))) return `${at}: tool_result without tool_use`;
      if (results.some((id) => ofPrograms.has(id)) && content.length > results.length)
        return `${at}: the answer to a program may hold tool results only`;
      open = [];
    } else {
      if (open.length > 0) return `${at}: tool_use without tool_result`;
      const calls = content.filter(({ type }) => type === 'tool_use');
      open = calls.map((block) => String(block['id']));
      for (const { id, caller } of calls) {
        const isDirect = !isObject(caller) || caller['type'] === 'direct';
        if (!isDirect) ofPrograms.add(String(id));
      }
    }
  }
  return open.length > 0 ? 'tool_use without tool_result' : undefined;
}
