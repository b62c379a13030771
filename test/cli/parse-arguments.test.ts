import { expect, test } from 'vitest';

import { commands } from '../../src/cli/commands.js';
import { helpText } from '../../src/cli/help.js';
import { parseArguments } from '../../src/cli/parse-arguments.js';

const parse = (...args: readonly string[]): unknown => {
  const parsed = parseArguments(args, commands);
  return parsed.kind === 'command' ? { name: parsed.command.name, ...parsed.values } : parsed.kind;
};

test('reads commands and their options', () => {
  expect(parse('demo')).toEqual({ name: 'demo' });
  expect(parse('inspect', '--config', 'a.json', '--json', '--both-eras')).toEqual({
    name: 'inspect',
    config: 'a.json',
    json: true,
    'both-eras': true,
  });
  expect(parse('render', '--config=b.json')).toEqual({ name: 'render', config: 'b.json' });
});

test('help and version come before anything else', () => {
  expect(parse('--help')).toBe('help');
  expect(parse('help')).toBe('help');
  expect(parse('inspect', '--json', '--help')).toBe('help');
  expect(parse('--version')).toBe('version');
});

test.for([
  [[], 'expected a command'],
  [['inspct'], 'expected a command (demo, inspect, render, approve), got "inspct"'],
  [['toString'], 'got "toString"'],
  [['inspect', '--jsn'], "Unknown option '--jsn'"],
  [['render', '--json'], "Unknown option '--json'"],
  [['inspect', '--config'], 'argument missing'],
  [['inspect', 'a.json'], "Unexpected argument 'a.json'"],
] as const)('%j is refused with a reason', ([args, reason]) => {
  expect(() => parse(...args)).toThrow(reason);
});

test('the help names every command, option and exit code', () => {
  const help = helpText(commands);
  for (const { name, options } of commands) {
    expect(help).toContain(`  ${name} `);
    for (const option of Object.keys(options)) expect(help).toContain(`    --${option} `);
  }
  for (const code of [0, 1, 2, 3]) expect(help).toContain(`\n  ${code}  `);
});
