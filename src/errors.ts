/** Every code that an {@link InstructionsError} can carry. `docs/errors.md` has a row for each. */
export type InstructionsErrorCode =
  /** An option of `createInjector`, `conversation` or another call has a wrong type or value. */
  | 'INVALID_OPTION'
  /** The configuration of one server cannot be used. */
  | 'INVALID_SERVER'
  /** A configuration file cannot be read, is not JSON, or has a wrong shape. */
  | 'CONFIG_FILE'
  /** A call named a server id that is not there. */
  | 'UNKNOWN_SERVER'
  /** A call needs a connected server, and the server is in another state. */
  | 'NOT_CONNECTED'
  /** A server marked `required` did not connect. */
  | 'REQUIRED_SERVER'
  /** A ledger that was handed in cannot be used. */
  | 'INVALID_LEDGER'
  /** An approval names a text that is not the one now offered. */
  | 'STALE_APPROVAL'
  /** An approval could not be written down, as the pin file cannot be read or written. */
  | 'PINS_FAILED'
  /** The injector or connection manager is closed. */
  | 'CLOSED';

const brand: symbol = Symbol.for('mcp-instructions.error');

/**
 * The one error this library throws, always for a mistake of the caller. A server that fails is data
 * (`connections.status()`), never an exception.
 */
export class InstructionsError extends Error {
  override readonly name = 'InstructionsError';
  /** Says what kind of mistake it was; stable across versions. */
  readonly code: InstructionsErrorCode;

  constructor(code: InstructionsErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    Object.defineProperty(this, brand, { value: true });
  }

  /**
   * Recognises the error across copies and module formats of this package, where `instanceof` does not.
   *
   * @param value anything that was thrown
   * @returns whether it is an {@link InstructionsError}
   */
  static isInstance(value: unknown): value is InstructionsError {
    return typeof value === 'object' && value !== null && Reflect.get(value, brand) === true;
  }
}

/**
 * The error for something that is not what it should be.
 *
 * @param code which kind of mistake it is
 * @param where the call, the field or both
 * @param expected what is accepted
 * @param got what came, made safe to show: its kind, or a value that can be no secret
 */
export function notExpected(
  code: InstructionsErrorCode,
  where: string,
  expected: string,
  got: string,
): InstructionsError {
  return new InstructionsError(code, `${where}: expected ${expected}, got ${got}`);
}

/** One word for what was thrown: never its message, which may quote a text. */
export function reasonOf(error: unknown): string {
  if (InstructionsError.isInstance(error)) return error.code;
  return error instanceof Error ? error.name : typeof error;
}
