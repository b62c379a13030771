import type { Plan } from '../conversation/plan-types.js';
import { commit, discard, fileThread, record } from '../conversation/settle.js';
import type { Report } from '../cost/report.js';
import type { RequestFormat } from '../formats/request-format.js';
import type { ConversationState } from './conversation-state.js';
import type { Outcome, PreparedCall } from './prepared.js';

/** What a prepared request is made of. */
export interface PreparedFacts<Request> {
  readonly request: Request;
  readonly report: Report;
  /** The recorded plan; `undefined` when nothing is on record. */
  readonly made: Plan | undefined;
  readonly format: RequestFormat<Request>;
  readonly state: ConversationState;
  /** Called with what the request sent in all, once that is known. */
  readonly onUsage: (usage: unknown) => void;
}

/** A request that is ready to be sent, and what may become of it. */
export function makePrepared<Request>(facts: PreparedFacts<Request>): PreparedCall<Request> {
  const { request, report, made, format, state, onUsage } = facts;
  const { total } = report.tokens;
  let isSent = made !== undefined;
  if (isSent) state.sentTokens += total;

  const file = (plan: Plan, { message }: Outcome): void => {
    const answer = message === undefined ? undefined : format.readAnswer?.(message);
    if (answer === undefined) return;
    for (const id of answer.ids) fileThread(state.ledger, plan, id, answer.turn);
  };

  return {
    request,
    report,
    commit: async (outcome = {}) => {
      if (made === undefined) return;
      commit(state.ledger, made);
      if (outcome.usage !== undefined) onUsage(outcome.usage);
      file(made, outcome);
      await state.save();
    },
    discard: () => {
      if (made === undefined) return;
      discard(state.ledger, made, (anchor) => state.isHeld(anchor));
      if (isSent) state.sentTokens -= total;
      isSent = false;
    },
    again: () => {
      if (made === undefined) return;
      record(state.ledger, made);
      state.hold(made.anchor);
      if (!isSent) state.sentTokens += total;
      isSent = true;
    },
    release: () => state.release(made?.anchor),
    used: onUsage,
  };
}
