import { defineFormat } from '../../src/formats/message-list.js';
import type { ContractSubject, ScriptedTurn } from '../../src/testing.js';

interface Part {
  readonly text?: string;
  readonly functionCall?: { readonly id: string };
  readonly functionResponse?: { readonly id: string; readonly response: object };
}
interface Content {
  readonly role: 'user' | 'model';
  readonly parts: readonly Part[];
}
interface GenerateContent {
  readonly contents: readonly Content[];
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Another vendor's API, as a host would write it. */
const format = defineFormat<GenerateContent, Content, Part>({
  name: 'generate-content',
  accepts: (request): request is GenerateContent =>
    isObject(request) && 'contents' in request && Array.isArray(request.contents),
  messages: (request) => request.contents,
  withMessages: (request, contents) => ({ ...request, contents }),
  role: ({ role }) => (role === 'model' ? 'assistant' : 'user'),
  parts: ({ parts }) => parts,
  withParts: (message, parts) => ({ ...message, parts }),
  userMessage: (parts) => ({ role: 'user', parts }),
  textPart: (text) => ({ text }),
  textOf: ({ text }) => text,
  results: () => [],
  resultOf: ({ functionResponse }) => functionResponse?.id,
  answer: ({ parts }) => ({
    text: parts.map(({ text }) => text ?? '').join(''),
    calls: parts.flatMap(({ functionCall }) => functionCall?.id ?? []),
    textOnly: parts.every(({ text }) => text !== undefined),
  }),
});

/** How its requests are written. */
export const geminiSubject: ContractSubject<GenerateContent> = {
  format: () => format,
  request: (history) => ({ contents: history.map(contentOf) }),
  messages: ({ contents }) => contents,
};

function contentOf(turn: ScriptedTurn): Content {
  if (turn.role === 'user') return { role: 'user', parts: [{ text: turn.text }] };
  if (turn.role === 'tools') {
    const parts = turn.results.map(({ id, text }) => ({ functionResponse: { id, response: { text } } }));
    return { role: 'user', parts };
  }
  const calls = turn.calls.map((id) => ({ functionCall: { id } }));
  return { role: 'model', parts: [{ text: turn.text }, ...calls] };
}
