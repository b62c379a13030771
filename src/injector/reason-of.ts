import { InstructionsError } from '../errors.js';

/** One word for what was thrown: never its message, which may quote a text. */
export function reasonOf(error: unknown): string {
  if (InstructionsError.isInstance(error)) return error.code;
  return error instanceof Error ? error.name : typeof error;
}
