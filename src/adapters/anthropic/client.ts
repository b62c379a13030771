import { notExpected } from '../../errors.js';
import { isObject, kindOf } from '../../values.js';

/** Any client of the Anthropic SDK that has middleware, Bedrock's and Vertex's included, by shape. */
export interface AnthropicClient {
  readonly middleware: readonly unknown[];
  withOptions(options: { middleware: never[] }): unknown;
}

/** Whether a value is a client that takes middleware: those of the SDK before 0.101 have none. */
export function takesMiddleware(client: unknown): client is AnthropicClient {
  return (
    isObject(client) && Array.isArray(client['middleware']) && typeof client['withOptions'] === 'function'
  );
}

/** @throws InstructionsError `INVALID_OPTION` for anything but a client that takes middleware */
export function checkClient(client: unknown): void {
  if (takesMiddleware(client)) return;
  const got = isObject(client) ? `${kindOf(client)} without it` : kindOf(client);
  const expected = 'an Anthropic client with `middleware` (`@anthropic-ai/sdk` 0.101 or later)';
  throw notExpected('INVALID_OPTION', 'withInstructions: client', expected, got);
}
