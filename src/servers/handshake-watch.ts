import type { InitializeRequest, JSONRPCMessage, Transport } from '@modelcontextprotocol/client';

type HandshakeMethod = 'server/discover' | 'initialize';

/** A reply that may hold instructions, as it came over the wire. */
export interface RawReply {
  readonly method: HandshakeMethod;
  /** The `instructions` as received, of whatever type. */
  readonly instructions: unknown;
  /** The whole result as received. */
  readonly result: object;
}

/** What was seen of one request: not sent, no answer so far, a result, or an error. */
export type Exchange = 'unasked' | 'unanswered' | 'answered' | 'refused';

/**
 * Listens on a transport, below the SDK, which rejects a whole handshake for one `instructions` field of a wrong type: the
 * field is noted as it came and, where it is no string, taken out before the SDK sees it.
 */
export class HandshakeWatch {
  readonly #pending: Map<string | number, HandshakeMethod> = new Map();
  readonly #exchanges: Map<HandshakeMethod, Exchange> = new Map();
  readonly #onReply: ((reply: RawReply) => void) | undefined;
  #last: RawReply | undefined;
  #initializeRequest: InitializeRequest | undefined;
  #discoverUnanswered = false;

  /**
   * @param transport watched from now on; to be called before a client gets it
   * @param onReply called for every discover or initialize result, later ones included
   */
  constructor(transport: Transport, onReply?: (reply: RawReply) => void) {
    this.#onReply = onReply;
    const send = transport.send.bind(transport);
    transport.send = (message, options) => {
      this.#noteSent(message);
      return send(message, options);
    };
    // Transports call their own `onmessage`, so the slot itself is the one place that sees every message.
    let handler: Transport['onmessage'];
    const pass: NonNullable<Transport['onmessage']> = (message, extra) =>
      handler?.(this.#note(message), extra);
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
    this.#pending.set(id, method);
    this.#exchanges.set(method, 'unanswered');
  }

  #note<Message extends JSONRPCMessage>(message: Message): Message {
    if ('method' in message || !('id' in message) || message.id === undefined) return message;
    const method = this.#pending.get(message.id);
    if (method === undefined) return message;
    this.#pending.delete(message.id);
    if (!('result' in message)) {
      this.#exchanges.set(method, 'refused');
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
