import fc from 'fast-check';
import { expect, it } from 'vitest';
import { AnthropicMessages } from '../../src/formats/anthropic-messages.js';
import { isBlockText } from '../support/request-reader.js';

interface Block {
  type: string;
  [field: string]: unknown;
}
interface Message {
  role: string;
  content: string | Block[];
}

const word = fc.constantFrom(
  'a',
  'b',
  'c',
  'words that are longer than what is digested at once, so that they are kept',
);
const block: fc.Arbitrary<Block> = fc.oneof(
  word.map((text) => ({ type: 'text', text })),
  word.map((id) => ({ type: 'tool_use', id, name: 'x', input: {} })),
  word.map((id) => ({ type: 'tool_result', tool_use_id: id, content: 'r' })),
  word.map((data) => ({ type: 'image', source: { type: 'base64', data } })),
  fc.constantFrom(null, 'summary').map((content) => ({ type: 'compaction', content })),
  word.map((thinking) => ({ type: 'thinking', thinking, signature: 's' })),
  // What the API refuses, and a host may hold for a moment.
  word.map((text) => ({ type: 'text', text: { text } })),
  word.map((title) => ({ type: 'text', text: null, title })),
  word.map((id) => ({ type: 'tool_result', tool_use_id: [id], content: 'r' })),
  word.map((id) => ({ type: 'tool_use', id: [id], name: 'x', input: {} })),
  word.map((id) => ({ type: 'tool_use', id, name: 'x', input: {}, caller: { type: 'program' } })),
);
const message: fc.Arbitrary<Message> = fc.record({
  role: fc.constantFrom('user', 'assistant', 'system'),
  content: fc.oneof(word, fc.array(block, { maxLength: 3 })),
});

/** What hosts do to messages that they hold. */
type Edit = (messages: Message[], at: number, other: Message, text: string) => void;
const edits: Edit[] = [
  (messages, _, other) => void messages.push(other),
  (messages) => void messages.shift(),
  (messages) => void messages.pop(),
  (messages, at, other) => void messages.splice(at, 1, other),
  (messages, at, other) => void messages.splice(at, 0, other),
  (messages, at, { content }) => void Object.assign(messages[at] ?? {}, { content }),
  (messages, at, { role }) => void Object.assign(messages[at] ?? {}, { role }),
  (messages, at, { content }) => {
    const held = messages[at]?.content;
    if (Array.isArray(held) && Array.isArray(content)) held.push(...content);
  },
  (messages, at, _, text) => {
    const held = messages[at]?.content;
    const last = Array.isArray(held) ? held.at(-1) : undefined;
    for (const field of ['text', 'id', 'tool_use_id', 'content', 'source']) {
      if (last?.[field] !== undefined) last[field] = text;
    }
  },
  (messages, at, _, text) => {
    // Within what the block holds.
    const held = messages[at]?.content;
    for (const block of Array.isArray(held) ? held : []) {
      for (const [field, value] of Object.entries(block)) {
        if (Array.isArray(value)) value[0] = text;
        else if (typeof value === 'object' && value !== null) Object.assign(value, { text });
        else if (field === 'title' || field === 'name') block[field] = text;
      }
    }
  },
  (messages, at, _, text) => {
    const held = messages[at]?.content;
    if (Array.isArray(held) && held[0] !== undefined) Object.assign(held[0], { type: 'text', text });
  },
];

it('whatever a host does to its messages in place, they are read as if for the first time', () => {
  fc.assert(
    fc.property(
      fc.array(message, { minLength: 2, maxLength: 6 }),
      fc.array(fc.tuple(fc.constantFrom(...edits), fc.nat(5), message, word), { maxLength: 12 }),
      (messages, steps) => {
        const format = new AnthropicMessages();
        const read = (reader: AnthropicMessages): unknown => reader.read({ messages }, isBlockText);
        read(format);
        for (const [edit, at, other, text] of steps) {
          edit(messages, at, other, text);
          const known = read(format);
          expect(known).toEqual(read(new AnthropicMessages()));
        }
      },
    ),
    { numRuns: 3000 },
  );
});
