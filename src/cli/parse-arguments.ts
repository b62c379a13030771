import { parseArgs, type ParseArgsConfig } from 'node:util';

import { UsageError, type Command, type CommandValues } from './command.js';

/** What the arguments ask for. */
export type Parsed =
  | { readonly kind: 'help' }
  | { readonly kind: 'version' }
  | { readonly kind: 'command'; readonly command: Command; readonly values: CommandValues };

/**
 * Reads the arguments.
 *
 * @param args what stands behind the program's name
 * @param commands the commands that there are
 * @throws UsageError
 */
export function parseArguments(args: readonly string[], commands: readonly Command[]): Parsed {
  const [name, ...rest] = args;
  if (name === undefined) throw new UsageError('expected a command');
  if (name === 'help' || name === '--help' || name === '-h') return { kind: 'help' };
  if (name === '--version' || name === '-v') return { kind: 'version' };
  const command = commands.find((candidate) => candidate.name === name);
  if (command === undefined) {
    const names = commands.map((candidate) => candidate.name).join(', ');
    throw new UsageError(`expected a command (${names}), got ${JSON.stringify(name)}`);
  }
  const options: NonNullable<ParseArgsConfig['options']> = { help: { type: 'boolean', short: 'h' } };
  for (const [option, { value }] of Object.entries(command.options)) {
    options[option] = { type: value === undefined ? 'boolean' : 'string' };
  }
  const values = parse(rest, options);
  return values['help'] === true ? { kind: 'help' } : { kind: 'command', command, values };
}

function parse(args: string[], options: NonNullable<ParseArgsConfig['options']>): CommandValues {
  try {
    return Object.fromEntries(
      Object.entries(parseArgs({ args, options, strict: true }).values).map(([option, value]) => [
        option,
        // No option is `multiple`, so no value is an array.
        Array.isArray(value) ? undefined : value,
      ]),
    );
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}
