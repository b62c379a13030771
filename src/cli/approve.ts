import { InstructionsError } from '../errors.js';
import type { Injector, Review } from '../injector.js';
import { printHeading, printReview } from './approve/print-review.js';
import { UsageError, type CommandContext, type CommandValues } from './command.js';
import { exitCodes } from './exit-codes.js';
import { inert } from './inert.js';
import { withServers } from './inspect/connect-servers.js';
import { noteWarnings, type WarningLog } from './inspect/warning-log.js';
import { otherHandshakes } from './inspect/other-handshake.js';
import type { ServerStatus } from '../servers/server-state.js';
import { readServers, type Servers } from './read-servers.js';
import { foldNote, type Terminal } from './terminal.js';

const DEFAULT_FILE = '.mcp-pins.json';
const SHA256 = /^[0-9a-f]{64}$/;

/** What a round of reviews came to. */
interface Tally {
  failed: number;
  open: number;
  approved: Set<string>;
}

/** `approve`: shows each text whole, asks, and writes down what is approved. */
export async function approve(context: CommandContext): Promise<number> {
  const { terminal, values, signal } = context;
  const hashes = hashesOf(values);
  const { servers, problems } = await readServers(context);
  const pins = typeof values['pins'] === 'string' ? values['pins'] : DEFAULT_FILE;
  const tally: Tally = { failed: problems.length, open: 0, approved: new Set() };
  const round = async (some: Servers, onMissing: (id: string, state: string) => void): Promise<Servers> =>
    await withServers(
      some,
      {
        signal,
        pins,
        onSettled: ({ id, state }) => void (state.state === 'connected' || onMissing(inert(id), state.state)),
      },
      async (injector, warnings) => {
        await reviewAll(injector, Object.keys(some), { context, hashes, tally, warnings });
        if (some === servers) noteWarnings(warnings, terminal);
        return otherHandshakes(some, injector.connections.status().map(reachedBy));
      },
    );
  const others = await round(servers, (id, state) => {
    tally.failed += 1;
    terminal.note(`${id}: ${state}, so it cannot be reviewed`);
  });
  if (values['both-eras'] === true) {
    terminal.note('Connecting once more, with the other handshake');
    await round(others, (id) => terminal.note(`${id}: has no other handshake`));
  }
  const unmet = [...(hashes ?? [])].filter((hash) => !tally.approved.has(hash));
  for (const hash of unmet) terminal.note(`No server says a text with the hash ${hash}`);
  terminal.out(`${tally.approved.size} approved, ${tally.open} not. Pins: ${inert(pins)}`);
  if (tally.failed > 0) return exitCodes.failed;
  return tally.open > 0 || unmet.length > 0 ? exitCodes.notApproved : exitCodes.ok;
}

/** @throws UsageError when an approval would be blind */
function hashesOf(values: CommandValues): ReadonlySet<string> | undefined {
  const { yes, sha256 } = values;
  if ((yes === true) !== (sha256 !== undefined)) {
    throw new UsageError('expected --yes and --sha256 together: an approval names what was reviewed');
  }
  if (typeof sha256 !== 'string') return undefined;
  const hashes = sha256.toLowerCase().split(',');
  const wrong = hashes.find((hash) => !SHA256.test(hash));
  if (wrong !== undefined) {
    throw new UsageError(`expected 64 hex digits after --sha256, got ${JSON.stringify(wrong)}`);
  }
  return new Set(hashes);
}

interface Round {
  readonly context: CommandContext;
  readonly hashes: ReadonlySet<string> | undefined;
  readonly tally: Tally;
  readonly warnings: WarningLog;
}

async function reviewAll(injector: Injector, ids: readonly string[], round: Round): Promise<void> {
  const { terminal, signal } = round.context;
  for (const id of ids) {
    if (injector.connections.status(id)?.state.state !== 'connected') continue;
    signal.throwIfAborted();
    const review = await injector.review(id);
    if (review.state === 'pins-failed') {
      noteWarnings(round.warnings, terminal);
      throw new UsageError('the pin file cannot be used; repair it or put it aside, it is not overwritten');
    }
    if (needsApproval(review)) await decide(injector, review, round);
    else {
      printHeading(review, terminal);
      if (review.state === 'approved' && review.sha256 !== undefined) round.tally.approved.add(review.sha256);
    }
    terminal.out('');
  }
}

function needsApproval({ state, mode }: Review): boolean {
  return mode === 'full' && (state === 'new' || state === 'changed');
}

async function decide(injector: Injector, review: Review, { context, hashes, tally }: Round): Promise<void> {
  const { terminal, signal } = context;
  printReview(review, terminal);
  const sha256 = review.sha256 ?? '';
  const isWanted = hashes === undefined ? await isAgreed(review, terminal, signal) : hashes.has(sha256);
  try {
    if (isWanted) await injector.approve(review.id, sha256);
  } catch (error) {
    if (!InstructionsError.isInstance(error) || error.code !== 'STALE_APPROVAL') throw error;
    terminal.note(`${inert(review.id)}: says something else since it was shown`);
    tally.open += 1;
    return;
  }
  if (isWanted) tally.approved.add(sha256);
  else tally.open += 1;
  terminal.out(
    `  ${isWanted ? terminal.paint('green', 'approved') : terminal.paint('yellow', 'not approved')}`,
  );
}

async function isAgreed({ id }: Review, terminal: Terminal, signal: AbortSignal): Promise<boolean> {
  const question = foldNote(`Approve this text of ${inert(id)}? [y/N]`, terminal.columns);
  const answer = await terminal.questions?.ask(question, signal);
  signal.throwIfAborted();
  return answer !== undefined && /^y(?:es)?$/iu.test(answer.trim());
}

function reachedBy({
  id,
  state,
  transport,
  instructions,
}: ServerStatus): Parameters<typeof otherHandshakes>[1][number] {
  return { id, state: state.state, transport, era: instructions?.era ?? null };
}
