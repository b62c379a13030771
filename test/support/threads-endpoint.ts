import type { AnswerBlock, EndpointOptions, RequestBody } from '../../src/cli/demo/messages-endpoint.js';
import type { readRequest } from './request-reader.js';

/** Messages as the reader of requests takes them. */
export type Messages = Parameters<typeof readRequest>[0];

/** What the model of {@link ServerHeldThreads} says. */
export interface Said {
  readonly content: readonly AnswerBlock[];
  readonly stopReason?: string;
}

/** The thread side of a Messages endpoint: keeps what was said, and shows the model the whole of it. */
export class ServerHeldThreads {
  /** What the model saw, request by request. */
  readonly views: Messages[] = [];
  /** Which kind of request each of them was. */
  readonly kinds: ('create' | 'continue' | 'plain')[] = [];
  readonly #model: (view: Messages, number: number) => Said | { readonly busy: true };
  #stored: Map<string, Messages> = new Map();

  /** @param model what the model says to what it sees */
  constructor(model: (view: Messages, number: number) => Said | { readonly busy: true }) {
    this.#model = model;
  }

  /** Forgets every thread. */
  lose(): void {
    this.#stored = new Map();
  }

  /** For the endpoint on loopback. */
  readonly answer: NonNullable<EndpointOptions['answer']> = (body, { number, path }) => {
    if (path !== 'messages') return undefined;
    const thread = body['thread'] as
      | { type: 'create' | 'continue'; previous_message_id?: string }
      | undefined;
    const before = thread?.type === 'continue' ? this.#stored.get(thread.previous_message_id ?? '') : [];
    if (before === undefined) return notFound;
    const view = [...before, ...messagesOf(body)];
    const said = this.#model(view, number);
    if ('busy' in said) return { status: 529, error: { type: 'overloaded_error', message: 'busy' } };
    this.views.push(view);
    this.kinds.push(thread?.type ?? 'plain');
    const id = `msg_thread_${number}`;
    if (thread !== undefined) this.#stored.set(id, [...view, { role: 'assistant', content: said.content }]);
    return { id, ...said };
  };
}

const notFound = {
  status: 404,
  error: {
    type: 'not_found_error',
    message: 'no such thread',
    details: { error_code: 'thread_not_found' },
  },
};

function messagesOf(body: RequestBody): Messages {
  return body.messages;
}

/** The model calls tools. */
export function callsTools(...ids: string[]): Said {
  return { content: ids.map((id) => ({ type: 'tool_use', id, name: 'look', input: {} })) };
}

/** The model answers. */
export function says(text: string): Said {
  return { content: [{ type: 'text', text }] };
}
