import type { InitializeRequest, JSONRPCMessage, Transport } from '@modelcontextprotocol/client';

import { idKey } from './message-id.js';

type HandshakeMethod = 'server/discover' | 'initialize';

/** A reply that may hold instructions, as it came over the wire. */
export interface RawReply {
  readonly method: HandshakeMethod;
  /** The `instructions` as received, of whatever type. */
  readonly instructions: unknown;
  /** The whole result as received. */
  readonly result: object;
}

/** How a server refused a request: with an error of the protocol, or with an HTTP status. */
export interface Refusal {
  readonly code?: number | undefined;
  readonly status?: number | undefined;
}

/** What was seen of one request: not sent, no answer so far, a result, or an error. */
export type Exchange = 'unasked' | 'unanswered' | 'answered' | 'refused';

/**
 * Listens on a transport, below the SDK, which rejects a whole handshake for one `instructions` field of a wrong type: the
 * field is noted as it came and, where it is no string, taken out before the SDK sees it.
 */
export class HandshakeWatch {
  readonly #pending: Map<unknown, HandshakeMethod> = new Map();
  readonly #exchanges: Map<HandshakeMethod, Exchange> = new Map();
  readonly #onReply: ((reply: RawReply) => void) | undefined;
  #last: RawReply | undefined;
  #initializeRequest: InitializeRequest | undefined;
  #discoverUnanswered = false;
  #discoverRefusal: Refusal | undefined;
  #hasTrouble = false;

  /**
   * @param transport watched from now on; to be called before a client gets it
   * @param onReply called for every discover or initialize result, later ones included
   */
  constructor(transport: Transport, onReply?: (reply: RawReply) => void) {
    this.#onReply = onReply;
    const send = transport.send.bind(transport);
    transport.send = (message, options) => {
      this.#noteSent(message);
      return send(message, options).catch((error: unknown) => {
        this.#noteUnsent(message, error);
        throw error;
      });
    };
    // Transports call their own `onmessage`, so the slot itself is the one place that sees every message.
    let handler: Transport['onmessage'];
    const pass: NonNullable<Transport['onmessage']> = (message, extra) => {
      try {
        handler?.(this.#note(message), extra);
      } catch (error) {
        // Some transports call this from an event handler, where what is thrown would end the host's process.
        transport.onerror?.(error instanceof Error ? error : new Error('unreadable message'));
      }
    };
    Object.defineProperty(transport, 'onmessage', {
      configurable: true,
      enumerable: true,
      get: () => (handler === undefined ? undefined : pass),
      set: (next: Transport['onmessage']) => {
        if (next !== pass) handler = next;
      },
    });
  }

  /** The newest reply, or `undefined` before the first. */
  get last(): RawReply | undefined {
    return this.#last;
  }

  /** The `initialize` request as the client sent it, to say the same again. */
  get initializeRequest(): InitializeRequest | undefined {
    return this.#initializeRequest;
  }

  /** Whether `initialize` was sent while `server/discover` had no answer. */
  get discoverUnanswered(): boolean {
    return this.#discoverUnanswered;
  }

  /** How `server/discover` was refused; `undefined` where it was not. */
  get discoverRefusal(): Refusal | undefined {
    return this.#discoverRefusal;
  }

  /** Whether any request met with an error: the server may be another one than its last reply says. */
  get hasTrouble(): boolean {
    return this.#hasTrouble;
  }

  /** How far a request got. */
  exchange(method: HandshakeMethod): Exchange {
    return this.#exchanges.get(method) ?? 'unasked';
  }

  #noteSent(message: JSONRPCMessage): void {
    if (!('method' in message) || !('id' in message)) return;
    const { id, method } = message;
    if (method !== 'server/discover' && method !== 'initialize') return;
    if (isInitialize(message)) {
      this.#initializeRequest = message;
      this.#discoverUnanswered = this.exchange('server/discover') === 'unanswered';
    }
    this.#pending.set(idKey(id), method);
    this.#exchanges.set(method, 'unanswered');
  }

  #noteUnsent(message: JSONRPCMessage, error: unknown): void {
    this.#hasTrouble = true;
    if (!('method' in message) || message.method !== 'server/discover') return;
    const status: unknown = error instanceof Error ? Reflect.get(error, 'status') : undefined;
    if (typeof status === 'number') this.#discoverRefusal = { status };
  }

  #note<Message extends JSONRPCMessage>(message: Message): Message {
    if ('error' in message) this.#hasTrouble = true;
    if ('method' in message || !('id' in message) || message.id === undefined) return message;
    const key = idKey(message.id);
    const method = this.#pending.get(key);
    if (method === undefined) return message;
    this.#pending.delete(key);
    if (!('result' in message)) {
      this.#exchanges.set(method, 'refused');
      if (method === 'server/discover') this.#discoverRefusal = { code: message.error.code };
      return message;
    }
    this.#exchanges.set(method, 'answered');
    const { result } = message;
    const instructions: unknown = 'instructions' in result ? result['instructions'] : undefined;
    // A discover reply that comes after `initialize` was sent is the answer of an era that was not chosen.
    const late = method === 'server/discover' && this.#discoverUnanswered;
    if (!late) {
      this.#last = { method, instructions, result };
      this.#onReply?.(this.#last);
    }
    if (instructions === undefined || typeof instructions === 'string') return message;
    return { ...message, result: withoutInstructions(result) };
  }
}

function withoutInstructions<Result extends object>(result: Result): Result {
  const copy = { ...result };
  Reflect.deleteProperty(copy, 'instructions');
  return copy;
}

/** The SDK's client sends it, so its parameters are what the SDK says they are. */
function isInitialize(message: JSONRPCMessage): message is JSONRPCMessage & InitializeRequest {
  return 'method' in message && message.method === 'initialize';
}
