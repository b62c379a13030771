import { isEmptyDelta, type InForce } from './diff.js';
import { HistoryWalk } from './history-walk.js';
import type { Ledger, LedgerEntry } from './ledger.js';
import { foreignRecords } from './lineage.js';
import type { Plan, PlanTools } from './plan-types.js';
import type { Reading, UserTurn } from './reading.js';

/** Whether a tool's answer follows a message before the next assistant message. */
function resultLater(turns: Reading['turns'], position: number): boolean {
  for (let later = position + 1; later < turns.length; later += 1) {
    const turn = turns[later];
    if (turn?.role !== 'user') return false;
    if (turn.answersTool) return true;
  }
  return false;
}

/**
 * Decides what a request carries. The first plan of a user message fixes it: a message that is recorded gets what
 * the record says, and only the newest one, if it is not recorded yet, is told the news.
 *
 * @param ledger what the conversation was told; not changed
 * @param reading the request's history
 * @param inForce what should apply now; `undefined` when it is not known, so that nothing is news
 * @param tools how blocks are hashed and read
 */
export function plan(ledger: Ledger, reading: Reading, inForce: InForce | undefined, tools: PlanTools): Plan {
  const { turns } = reading;
  const walk = new HistoryWalk(ledger, inForce, tools);
  if (reading.continues !== undefined) walk.resume(reading.continues);

  const newest = turns.findLastIndex((turn) => turn.role === 'user');
  const lastAssistant = turns.findLastIndex((turn) => turn.role === 'assistant');
  const trailing = turns.slice(newest + 1);
  const plannable = trailing.every((turn) => turn.role === 'assistant' && turn.textOnly);

  const stops = walk.trace(turns, newest);
  const foreign = foreignRecords(stops);
  for (let position = 0; position <= newest; position += 1) {
    const turn = turns[position];
    if (turn?.role === 'assistant') walk.skip(turn);
    if (turn?.role !== 'user') continue;
    const isNewest = position === newest;
    const anchor = stops.anchors[position]!;
    const entry = stops.entries[position];
    walk.visit(turn, anchor, isNewest);
    if (entry !== undefined && !foreign.has(anchor)) {
      walk.repeat(turn, entry, isNewest, entry.block !== undefined && resultLater(turns, position));
    }
    if (isNewest) finishNewest(walk, turn, entry, plannable);
    else if (entry === undefined && (position > lastAssistant || turn.stored.length > 0)) walk.record(turn);
  }
  if (newest < 0) {
    walk.unsaid = walk.news();
    if (!isEmptyDelta(walk.unsaid)) walk.reason = 'no-place';
  }
  const isNew = walk.reason === 'placed' || walk.reason === 'history-changed';
  if (walk.threadUnknown && isNew) walk.reason = 'thread-unknown';
  return {
    placements: walk.placements,
    carried: walk.carried,
    reason: walk.reason,
    told: walk.told,
    unsaid: walk.unsaid,
    path: walk.path,
    summedUp: walk.summedUp,
    delivered: walk.delivered,
    entries: walk.entries,
    relied: walk.relied,
    blocks: walk.blocks,
    anchor: walk.anchor,
    chain: walk.chain,
    turn: walk.turns,
  };
}

function finishNewest(
  walk: HistoryWalk,
  turn: UserTurn,
  entry: LedgerEntry | undefined,
  plannable: boolean,
): void {
  if (entry === undefined && plannable && turn.solid) {
    walk.plan(turn);
    return;
  }
  walk.unsaid = walk.news();
  if (!isEmptyDelta(walk.unsaid)) walk.reason = entry === undefined ? 'no-place' : 'turn-already-sent';
  else if (walk.carried.some((block) => block.newest)) walk.reason = 'placed';
}
