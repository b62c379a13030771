import type { CommandContext } from './command.js';
import { exitCodes } from './exit-codes.js';
import { firstTurn } from './first-turn.js';
import { inert } from './inert.js';
import { withServers } from './inspect/connect-servers.js';
import { noteWarnings } from './inspect/warning-log.js';
import { readServers } from './read-servers.js';

/** `render`: prints the block that a first turn would carry, and a line end. */
export async function renderBlock(context: CommandContext): Promise<number> {
  const { terminal, signal } = context;
  const { servers, problems } = await readServers(context);
  let failed = problems.length;
  const { block, report } = await withServers(
    servers,
    {
      signal,
      onSettled: ({ id, state }) => {
        if (state.state === 'connected') return;
        failed += 1;
        terminal.note(`${inert(id)}: ${state.state}, so it is not in the block`);
      },
    },
    async (injector, warnings) => {
      const turn = await firstTurn(injector);
      noteWarnings(warnings, terminal);
      return turn;
    },
  );
  if (block === undefined) terminal.note(`No block: ${report.reason}`);
  else terminal.out(block);
  return failed === 0 ? exitCodes.ok : exitCodes.failed;
}
