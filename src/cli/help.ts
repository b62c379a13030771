import type { Command } from './command.js';

const EXIT_CODES = `Exit codes:
  0  all is well
  1  a server did not connect, or was left out
  2  wrong arguments, a configuration that cannot be used, or a missing package
  3  --require-instructions: a connected server has nothing to show to a model
  4  approve: a text is not approved`;

/** @returns the help of the whole command line */
export function helpText(commands: readonly Command[]): string {
  const lines = ['Usage: mcp-instructions <command> [options]', '', 'Commands:'];
  for (const command of commands) {
    lines.push(...rows([[command.name, command.summary]], 2));
    const options = Object.entries(command.options);
    lines.push(
      ...rows(
        options.map(([name, { value, help }]) => [
          `--${name}${value === undefined ? '' : ` ${value}`}`,
          help,
        ]),
        4,
      ),
    );
  }
  lines.push('', 'Other options:', ...rows(Object.entries(OTHERS), 2), '', EXIT_CODES, '');
  lines.push('The variables of docs/options.md apply, such as MCP_INSTRUCTIONS_MAX_LENGTH.');
  return lines.join('\n');
}

const OTHERS: Readonly<Record<string, string>> = {
  '--help': 'Show this',
  '--version': 'Show the version',
};

function rows(pairs: readonly (readonly [string, string])[], indent: number): string[] {
  return pairs.map(([left, right]) => `${' '.repeat(indent)}${left.padEnd(28 - indent)}${right}`);
}
