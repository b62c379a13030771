import type { MessagesRequest } from '../../src/formats/anthropic-messages.js';

/**
 * Reads a request the way a model does, knowing nothing of ledgers or plans: the judge of the tests. It reads blocks by
 * their sentences alone and shares no code with the library.
 */
export interface RequestReading {
  /** What applies at the end, by id. */
  readonly inForce: ReadonlyMap<string, string>;
  /** What a reader would stumble over. */
  readonly faults: readonly string[];
}

type Message = MessagesRequest['messages'][number];

const SENTENCE_STARTS = [
  ['added', 'The following MCP servers have provided'],
  ['changed', 'The following MCP servers have replaced'],
  ['restored', 'The following MCP servers are connected again'],
  ['removed', 'The following MCP servers are no longer connected'],
] as const;

type Part = { kind: (typeof SENTENCE_STARTS)[number][0]; id: string; text: string };

function partsOf(block: string): Part[] {
  const parts: Part[] = [];
  let kind: Part['kind'] | undefined;
  let current: Part | undefined;
  for (const line of block.split('\n').slice(2, -1)) {
    const sentence = SENTENCE_STARTS.find(([, start]) => line.startsWith(start));
    if (sentence !== undefined) {
      kind = sentence[0];
      current = undefined;
    } else if (kind !== undefined && line.startsWith('## ')) {
      current = { kind, id: line.slice(3), text: '' };
      parts.push(current);
    } else if ((kind === 'restored' || kind === 'removed') && line.startsWith('- ')) {
      parts.push({ kind, id: line.slice(2), text: '' });
    } else if (current !== undefined) {
      current.text += `${line}\n`;
    }
  }
  return parts.map((part) => ({ ...part, text: part.text.trimEnd() }));
}

/** Whether a text is a block of the library's. */
export function isBlockText(text: unknown): text is string {
  return typeof text === 'string' && text.startsWith('<system-reminder>\n# MCP Server Instructions\n');
}

function blocksOf(message: Message): string[] {
  if (message.role !== 'user' || typeof message.content === 'string') return [];
  return message.content.map((block) => block.text).filter(isBlockText);
}

/** @param messages the messages of a request as it goes out */
export function readRequest(messages: readonly Message[]): RequestReading {
  const inForce = new Map<string, string>();
  const seen = new Map<string, string>();
  const faults: string[] = [];
  for (const block of messages.flatMap(blocksOf)) {
    for (const { kind, id, text } of partsOf(block)) {
      if (kind === 'removed') inForce.delete(id);
      else if (kind === 'restored') {
        const earlier = seen.get(id);
        if (earlier === undefined) faults.push(`restored without its text: ${id}`);
        else inForce.set(id, earlier);
      } else {
        if (seen.get(id) === text) faults.push(`told twice: ${id}`);
        inForce.set(id, text);
        seen.set(id, text);
      }
    }
  }
  return { inForce, faults };
}

/** What a reader gets wrong, compared with what should apply; `null` is a server nothing is known of yet. */
export function disagreements(
  reading: RequestReading,
  force: Readonly<Record<string, string | null>>,
): string[] {
  const wrong: string[] = [];
  for (const [id, text] of Object.entries(force)) {
    if (text === null) continue;
    const read = reading.inForce.get(id);
    if (read === undefined) wrong.push(`missing: ${id}`);
    else if (read !== text) wrong.push(`another text: ${id}`);
  }
  for (const id of reading.inForce.keys()) if (!Object.hasOwn(force, id)) wrong.push(`still in force: ${id}`);
  return wrong;
}

/** A message's bytes, with a text alone and an array of one text being the same, and breakpoints left out. */
export function bytesOf(message: Message): string {
  const content =
    typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : message.content;
  return JSON.stringify({ ...message, content }, (key, value: unknown) =>
    key === 'cache_control' ? undefined : value,
  );
}

/** The index of the first message of `earlier` that `later` does not begin with; -1 when it is a prefix. */
export function prefixBreak(earlier: readonly Message[], later: readonly Message[]): number {
  return earlier.findIndex((message, index) => {
    const other = later[index];
    return other === undefined || bytesOf(message) !== bytesOf(other);
  });
}

/** What is wrong with the shape of a request, compared with what the host gave. */
export function shapeFaults(sent: readonly Message[], given: readonly Message[]): string[] {
  const faults: string[] = [];
  let ours = false;
  for (const [index, message] of sent.entries()) {
    if (message.role === 'assistant') ours = false;
    if (message.role !== 'user' || typeof message.content === 'string') continue;
    for (const block of message.content) {
      if (block.type === 'text' && isBlockText(block.text)) ours = true;
      if (block.type === 'tool_result' && ours) faults.push(`a block before a tool result: ${index}`);
    }
    const host = given[index];
    if (host === undefined) continue;
    const rest = [...message.content];
    const own = typeof host.content === 'string' ? [{ type: 'text', text: host.content }] : host.content;
    for (const block of own) {
      const at = rest.findIndex((other) => JSON.stringify(other) === JSON.stringify(block));
      if (at < 0) faults.push(`host content lost: ${index}`);
      rest.splice(0, at + 1);
    }
  }
  return faults;
}

/** Freezes a value and everything in it. */
export function deepFreeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null) {
    Object.freeze(value);
    for (const inner of Object.values(value)) deepFreeze(inner);
  }
  return value;
}
