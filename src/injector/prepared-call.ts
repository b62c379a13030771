import type { Plan } from '../conversation/plan-types.js';
import { commit, discard, fileThread, record, reliance } from '../conversation/settle.js';
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
  const { ledger } = state;
  let isSent = false;
  let isFinal = false;

  const count = (sent: boolean): void => {
    if (sent !== isSent) state.sentTokens += sent ? total : -total;
    isSent = sent;
  };
  if (made !== undefined) count(true);

  const file = (plan: Plan, { message }: Outcome): void => {
    const answer = message === undefined ? undefined : format.readAnswer?.(message);
    if (answer === undefined) return;
    for (const id of answer.ids) fileThread(ledger, plan, id, answer.turn);
  };
  /** A plan of what was forgotten since has nothing to settle. */
  const isForgotten = (): boolean => ledger !== state.ledger;

  return {
    request,
    report,
    commit: async (outcome) => {
      if (made === undefined || isForgotten()) return;
      commit(ledger, made);
      count(true);
      isFinal = true;
      try {
        if (outcome?.usage !== undefined) onUsage(outcome.usage);
        file(made, outcome ?? {});
      } catch {
        // What the host passed cannot be read: the plan is final all the same.
      }
      await state.save();
    },
    discard: () => {
      if (made === undefined || isFinal || isForgotten()) return;
      discard(ledger, made, (anchor) => state.isHeld(anchor));
      count(false);
    },
    again: () => {
      if (made === undefined || isForgotten()) return;
      record(ledger, made);
      state.hold(reliance(made));
      count(true);
    },
    release: () => {
      if (made !== undefined) state.release(reliance(made));
    },
    used: onUsage,
  };
}
