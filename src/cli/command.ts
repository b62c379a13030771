import type { Terminal } from './terminal.js';

/** One option of a command. */
export interface CommandOption {
  /** What the value is called in the help; absent for a switch. */
  readonly value?: string;
  readonly help: string;
}

/** The options that were given, by name. */
export type CommandValues = Readonly<Record<string, string | boolean | undefined>>;

/** What a command runs with. */
export interface CommandContext {
  readonly terminal: Terminal;
  readonly values: CommandValues;
  /** Aborts when the user wants to stop; the command closes what it opened and ends. */
  readonly signal: AbortSignal;
}

/**
 * Runs a command.
 *
 * @returns the exit code
 * @throws UsageError, and InstructionsError for a configuration that cannot be used
 */
export type RunCommand = (context: CommandContext) => Promise<number>;

/** One command of the command line. */
export interface Command {
  readonly name: string;
  readonly summary: string;
  readonly options: Readonly<Record<string, CommandOption>>;
  /** Loads on demand, so that `--help` needs none of it. */
  readonly load: () => Promise<RunCommand>;
}

/** The arguments or the surroundings are wrong, in words for the user. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
