import type { CommandContext } from './command.js';
import { exitCodes } from './exit-codes.js';
import type { Review } from '../injector.js';
import { inert, inertJson } from './inert.js';
import type { ConnectOptions } from './inspect/connect-servers.js';
import type { InspectedServer } from './inspect/inspection.js';
import { hasFailed, lookAtServers } from './inspect/look-at-servers.js';
import { withOtherHandshake } from './inspect/other-handshake.js';
import { printInspection } from './inspect/print-inspection.js';
import { writePage } from './inspect/write-page.js';
import { readServers } from './read-servers.js';

/** `inspect`: connects to the servers of a file and shows what each says. Progress goes to standard error. */
export async function inspect(context: CommandContext): Promise<number> {
  const { terminal, values, signal } = context;
  const { servers, problems } = await readServers(context);
  const ids = Object.keys(servers);
  terminal.note(ids.length === 0 ? 'No servers to connect to.' : `Connecting: ${ids.map(inert).join(', ')}`);
  const reviews = new Map<string, Review>();
  const options: ConnectOptions = {
    signal,
    onSettled: ({ id, state }) => terminal.note(`  ${inert(id)}: ${state.state}`),
  };
  let inspection = await lookAtServers(servers, options, async (injector) => {
    if (values['html'] === undefined) return;
    for (const id of ids) reviews.set(id, await injector.review(id));
  });
  if (values['both-eras'] === true) {
    terminal.note('Connecting once more, with the other handshake');
    inspection = await withOtherHandshake(servers, inspection, options);
  }
  inspection = { ...inspection, warnings: [...problems, ...inspection.warnings] };
  if (typeof values['html'] === 'string') {
    await writePage(values['html'], inspection, reviews);
    terminal.note(`Page: ${inert(values['html'])}`);
  }
  if (values['json'] === true) terminal.out(inertJson(inspection));
  else printInspection(inspection, terminal);
  if (problems.length > 0 || inspection.servers.some(hasFailed)) return exitCodes.failed;
  const isMissing = values['require-instructions'] === true && inspection.servers.some(hasNothingToSay);
  return isMissing ? exitCodes.noInstructions : exitCodes.ok;
}

/** A server that the host switched off is silent on purpose. */
function hasNothingToSay(server: InspectedServer): boolean {
  return server.outcome !== 'off' && server.keptChars === 0;
}
