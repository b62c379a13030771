import type { Command, CommandOption } from './command.js';

const config: CommandOption = {
  value: 'FILE',
  help: 'A file with `mcpServers`, as hosts have it. Default: .mcp.json',
};

/** Every command, in the order of the help. */
export const commands: readonly Command[] = [
  {
    name: 'demo',
    summary: 'Show a whole conversation on servers and an endpoint of its own: no key, no network',
    options: {},
    load: async () => (await import('./demo.js')).demo,
  },
  {
    name: 'inspect',
    summary: 'Connect to the servers of a file and show what each asks the model to believe',
    options: {
      config,
      json: { help: 'Write JSON to standard output and nothing else' },
      html: { value: 'FILE', help: 'Write a page, too, to read and compare the texts' },
      'both-eras': { help: 'Connect with the other handshake too, and say where the two texts differ' },
      'require-instructions': { help: 'Exit with 3 when a connected server has nothing to show to a model' },
    },
    load: async () => (await import('./inspect.js')).inspect,
  },
  {
    name: 'render',
    summary: 'Print the block that a first turn would carry, exactly',
    options: { config },
    load: async () => (await import('./render.js')).renderBlock,
  },
  {
    name: 'approve',
    summary: 'Show the whole text of each server and what changed, ask, and pin what is approved',
    options: {
      config,
      pins: { value: 'FILE', help: 'Where approvals are kept, for a team to share. Default: .mcp-pins.json' },
      'both-eras': { help: 'Connect with the other handshake too, and approve both texts' },
      yes: { help: 'Do not ask: approve exactly what --sha256 names' },
      sha256: {
        value: 'HASHES',
        help: 'With --yes: the hashes that were reviewed, with commas between them',
      },
    },
    load: async () => (await import('./approve.js')).approve,
  },
];
