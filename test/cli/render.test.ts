import { writeFileSync } from 'node:fs';

import { afterEach, expect, test, vi } from 'vitest';

import { renderBlock } from '../../src/cli/render.js';
import { Folder, lab, livingProcesses } from '../servers/support/lab.js';
import { MemoryTerminal } from './memory-terminal.js';

afterEach(() => {
  vi.unstubAllEnvs();
  expect(livingProcesses()).toEqual([]);
});

async function run(
  mcpServers: Readonly<Record<string, unknown>>,
): Promise<{ code: number; out: string; notes: string }> {
  using folder = new Folder();
  const config = folder.file('servers.json');
  writeFileSync(config, JSON.stringify({ mcpServers }));
  const memory = new MemoryTerminal();
  const { signal } = new AbortController();
  const code = await renderBlock({ terminal: memory.terminal, values: { config }, signal });
  return { code, out: memory.out, notes: memory.notes };
}

test('prints the block exactly, and a line end', async () => {
  const { code, out, notes } = await run({
    zeta: lab({ text: '# Mine\nUse it.' }),
    alpha: lab({ text: 'Hello.' }),
    dead: lab({ exitOnSpawn: true }),
  });
  expect(out).toBe(`<system-reminder>
# MCP Server Instructions

The following MCP servers have provided instructions for how to use their tools and resources:

## alpha
Hello.

## zeta
### Mine
Use it.
</system-reminder>
`);
  expect(notes).toBe('dead: unavailable, so it is not in the block\n');
  expect(code).toBe(1);
});

test('a block of a thousand characters, under the variables that apply', async () => {
  const { code, out } = await run({ lab: lab({ textChars: 1000 }) });
  expect(code).toBe(0);
  expect(out).toHaveLength(1167 + 1);
  vi.stubEnv('MCP_INSTRUCTIONS_MAX_LENGTH', '100');
  const cut = await run({ lab: lab({ textChars: 1000 }) });
  expect(cut.out).toHaveLength(1167 - 1000 + 100 + 13 + 1);
});

test('a variable whose value is not accepted is named, and the default applies', async () => {
  vi.stubEnv('MCP_INSTRUCTIONS_MAX_LENGTH', '25,000');
  const { code, out, notes } = await run({ lab: lab({ textChars: 3000 }) });
  expect(code).toBe(0);
  expect(out).toHaveLength(1167 - 1000 + 2048 + 13 + 1);
  expect(notes).toContain('MCP_INSTRUCTIONS_MAX_LENGTH');
  expect(notes).toContain('25,000');
});

test('without anything to tell there is no block, and the reason is said', async () => {
  const { code, out, notes } = await run({ silent: lab({}) });
  expect({ code, out, notes }).toEqual({ code: 0, out: '', notes: 'No block: no-news\n' });
  vi.stubEnv('MCP_INSTRUCTIONS_DISABLED', '1');
  const off = await run({ talks: lab({ text: 'Hello.' }) });
  expect(off).toEqual({ code: 0, out: '', notes: 'No block: disabled\n' });
});
