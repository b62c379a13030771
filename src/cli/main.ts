#!/usr/bin/env node
import { InstructionsError } from '../errors.js';
import { packageInfo } from '../servers/package-info.js';
import { UsageError } from './command.js';
import { commands } from './commands.js';
import { exitCodes } from './exit-codes.js';
import { helpText } from './help.js';
import { inert } from './inert.js';
import { parseArguments } from './parse-arguments.js';
import { questionsOf } from './questions.js';
import { createTerminal, type Terminal } from './terminal.js';

/** The exit code that a shell gives for each. */
const SIGNALS: ReadonlyMap<NodeJS.Signals, number> = new Map([
  ['SIGHUP', 129],
  ['SIGINT', 130],
  ['SIGTERM', 143],
]);

async function main(args: readonly string[], terminal: Terminal, signal: AbortSignal): Promise<number> {
  const parsed = parseArguments(args, commands);
  if (parsed.kind === 'command') {
    const run = await parsed.command.load();
    return await run({ terminal, values: parsed.values, signal });
  }
  terminal.out(parsed.kind === 'version' ? packageInfo.version : helpText(commands));
  return exitCodes.ok;
}

function say(terminal: Terminal, error: unknown): number {
  const isUsers = error instanceof UsageError || InstructionsError.isInstance(error);
  if (!isUsers) throw error;
  terminal.note(`mcp-instructions: ${inert(error.message)}`);
  if (error instanceof UsageError) terminal.note('Try: mcp-instructions --help');
  return exitCodes.usage;
}

const terminal = createTerminal(process.stdout, process.stderr, questionsOf(process.stdin, process.stderr));
const stop = new AbortController();
for (const [name, code] of SIGNALS) {
  process.on(name, () => {
    // Whoever asks twice does not wait for servers to end by themselves; what is left of them is killed at the exit.
    if (stop.signal.aborted) process.exit(code);
    process.exitCode = code;
    stop.abort();
  });
}
// A reader that went away, as `head` does, is no reason to leave servers behind.
process.stdout.on('error', () => stop.abort());
try {
  const code = await main(process.argv.slice(2), terminal, stop.signal);
  process.exitCode ??= code;
} catch (error) {
  if (!stop.signal.aborted) process.exitCode = say(terminal, error);
}
