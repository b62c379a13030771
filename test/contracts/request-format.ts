import { test } from 'vitest';

import type { PromptMessage, PromptRequest } from '../../src/formats/ai-sdk-prompt.js';
import type { MessagesMessage, MessagesRequest } from '../../src/formats/anthropic-messages.js';
import type { ChatMessage, ChatRequest } from '../../src/formats/openai-chat.js';
import type { ResponsesItem, ResponsesRequest } from '../../src/formats/openai-responses.js';
import { requestFormatContract, type ContractSubject, type ScriptedTurn } from '../../src/testing.js';

/** How each API writes a history; the format comes beside it. */
type Writer<Request> = Omit<ContractSubject<Request>, 'format'>;

/** The Messages API. */
export const messagesWriter: Writer<MessagesRequest> = {
  request: (history) => ({
    model: 'test',
    messages: history.map((turn): MessagesMessage => {
      if (turn.role === 'user') return { role: 'user', content: turn.text };
      if (turn.role === 'tools') {
        const content = turn.results.map(({ id, text }) => ({
          type: 'tool_result',
          tool_use_id: id,
          content: text,
        }));
        return { role: 'user', content };
      }
      const uses = turn.calls.map((id) => ({ type: 'tool_use', id, name: 'look', input: {} }));
      return { role: 'assistant', content: [{ type: 'text', text: turn.text }, ...uses] };
    }),
  }),
  messages: ({ messages }) => messages,
};

/** Chat Completions. */
export const chatWriter: Writer<ChatRequest> = {
  request: (history) => ({
    model: 'test',
    messages: [{ role: 'developer', content: 'Be brief.' }, ...history.flatMap(chatMessages)],
  }),
  messages: ({ messages }) => messages,
};

/** One step as messages of Chat Completions. */
export function chatMessages(turn: ScriptedTurn): ChatMessage[] {
  if (turn.role === 'user') return [{ role: 'user', content: turn.text }];
  if (turn.role === 'tools') {
    return turn.results.map(({ id, text }) => ({ role: 'tool', tool_call_id: id, content: text }));
  }
  const calls = turn.calls.map((id) => ({
    id,
    type: 'function',
    function: { name: 'look', arguments: '{}' },
  }));
  return [{ role: 'assistant', content: turn.text, ...(calls.length === 0 ? {} : { tool_calls: calls }) }];
}

/** The Responses API. */
export const responsesWriter: Writer<ResponsesRequest> = {
  request: (history) => ({ model: 'test', input: history.flatMap(responsesItems) }),
  messages: ({ input }) => input as readonly unknown[],
};

/** One step as items of the Responses API. */
export function responsesItems(turn: ScriptedTurn): ResponsesItem[] {
  if (turn.role === 'user') return [{ role: 'user', content: turn.text }];
  if (turn.role === 'tools') {
    const outputs = turn.results.map(({ id, text }) => ({
      type: 'function_call_output',
      call_id: id,
      output: text,
    }));
    return outputs;
  }
  const message = {
    type: 'message',
    role: 'assistant',
    content: [{ type: 'output_text', text: turn.text, annotations: [] }],
  };
  const calls = turn.calls.map((id) => ({
    type: 'function_call',
    call_id: id,
    name: 'look',
    arguments: '{}',
  }));
  return [message, ...calls];
}

/** The prompt that the AI SDK hands to a model. */
export const promptWriter: Writer<PromptRequest> = {
  request: (history) => ({
    model: 'test',
    prompt: [{ role: 'system', content: 'Be brief.' }, ...history.map(promptMessage)],
  }),
  messages: ({ prompt }) => prompt,
};

/** One step as a message of the AI SDK's. */
export function promptMessage(turn: ScriptedTurn): PromptMessage {
  if (turn.role === 'user') return { role: 'user', content: [{ type: 'text', text: turn.text }] };
  if (turn.role === 'tools') {
    const content = turn.results.map(({ id, text }) => ({
      type: 'tool-result',
      toolCallId: id,
      toolName: 'look',
      output: { type: 'text', value: text },
    }));
    return { role: 'tool', content };
  }
  const calls = turn.calls.map((id) => ({
    type: 'tool-call',
    toolCallId: id,
    toolName: 'look',
    input: {},
  }));
  return { role: 'assistant', content: [{ type: 'text', text: turn.text }, ...calls] };
}

/** Runs the exported contract suite in this test framework. */
export function holdsContract<Request>(subject: ContractSubject<Request>): void {
  test.for(requestFormatContract(subject))('$name', async (check) => await check.run());
}
