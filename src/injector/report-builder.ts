import type { CarriedBlock, Plan } from '../conversation/plan-types.js';
import type { Said } from '../conversation/told.js';
import type { Report, ReportReason, ServerChange, ServerOutcome, ServerReport } from '../cost/report.js';
import { tally, type TallyBlock, type TallySection } from '../cost/tally.js';
import { tokenReport } from '../cost/token-report.js';
import type { TokenCounter } from '../cost/token-counter.js';
import { recognise } from '../render/recognise.js';
import { LIST_PREFIX } from '../render/frame.js';
import { renderSection } from '../render/section.js';
import { BoundedCache } from '../cost/bounded-cache.js';
import type { ServerView } from './server-views.js';

/** What a report is made from. */
export interface ReportFacts {
  readonly conversation: string;
  readonly request: unknown;
  /** Absent when nothing could be planned. */
  readonly plan: Plan | undefined;
  readonly reason: ReportReason;
  readonly views: readonly ServerView[];
  readonly hears: (id: string) => boolean;
  /** Tokens that earlier requests of the conversation sent for instructions. */
  readonly sentBefore: number;
  /** Whether the request is on record, and so counts among what was sent. */
  readonly isRecorded: boolean;
}

/** Makes reports: adds up figures that were made when the texts were collected. */
export class ReportBuilder {
  readonly #counter: TokenCounter;
  readonly #hash: (text: string) => string;
  /** What each block is made of, by its text. */
  readonly #parts: BoundedCache<Omit<TallyBlock, 'added'>> = new BoundedCache(512);

  /**
   * @param counter counts tokens
   * @param hash SHA-256 in hex
   */
  constructor(counter: TokenCounter, hash: (text: string) => string) {
    this.#counter = counter;
    this.#hash = hash;
  }

  build({ conversation, request, plan, reason, views, hears, sentBefore, isRecorded }: ReportFacts): Report {
    const carried = plan?.carried ?? [];
    const blocks = carried.map((block) => ({ ...this.#partsOf(block.text), added: block.newest }));
    const model = modelOf(request);
    const sums = tally(blocks, (text, key, part) => this.#counter.figure(text, key, model, part));
    const sent = sentChars(blocks);
    const changes = changesIn(carried.filter((block) => block.newest));
    const servers = views.map((view): ServerReport => {
      const { admission } = view;
      return {
        id: view.id,
        connection: view.connection,
        outcome: outcomeOf(view, plan, hears),
        change: changes.get(view.printedId) ?? null,
        source: view.source,
        chars: admission?.chars ?? 0,
        keptChars: admission?.keptChars ?? 0,
        lostChars: admission?.lostChars ?? 0,
        sentChars: sent.get(view.printedId) ?? 0,
        mode: view.mode,
        limit: view.limit ?? null,
        flags: view.flags,
        tokens: sums.servers.get(view.printedId) ?? 0,
      };
    });
    const here = new Set(views.map((view) => view.printedId));
    const gone = [...sums.servers].filter(([printedId]) => !here.has(printedId));
    for (const [printedId, tokens] of gone) {
      const outcome = plan?.told.get(printedId)?.inForce === true ? 'told' : 'withdrawn';
      const change = changes.get(printedId) ?? null;
      servers.push(goneServer(printedId, { outcome, change, sentChars: sent.get(printedId) ?? 0, tokens }));
    }
    servers.sort((left, right) => (left.id < right.id ? -1 : 1));
    const idsOf = (outcome: ServerOutcome): string[] =>
      servers.filter((server) => server.outcome === outcome).map((server) => server.id);
    return {
      conversation,
      model,
      turn: plan?.turn ?? 0,
      recorded: isRecorded,
      placed: carried.some((block) => block.newest),
      reason,
      servers,
      tokens: tokenReport(sums, sentBefore, isRecorded),
      pending: idsOf('pending'),
      withheld: idsOf('withheld'),
    };
  }

  #partsOf(text: string): Omit<TallyBlock, 'added'> {
    const known = this.#parts.get(text);
    if (known !== undefined) return known;
    const sections: TallySection[] = [];
    const delta = recognise(text);
    const add = (id: string, part: string): void => {
      sections.push({ id, text: part, key: this.#hash(part) });
    };
    for (const section of [...(delta?.added ?? []), ...(delta?.changed ?? [])]) {
      add(section.id, renderSection(section.id, section.text));
    }
    for (const id of [...(delta?.restored ?? []), ...(delta?.removed ?? [])]) add(id, LIST_PREFIX + id);
    const parts = { text, key: this.#hash(text), sections };
    this.#parts.set(text, parts);
    void this.#counter.warm(text, parts.key).catch(() => undefined);
    return parts;
  }
}

function modelOf(request: unknown): string | null {
  try {
    const model: unknown =
      typeof request === 'object' && request !== null ? Reflect.get(request, 'model') : undefined;
    return typeof model === 'string' ? model : null;
  } catch {
    return null;
  }
}

function sentChars(blocks: readonly TallyBlock[]): Map<string, number> {
  const sent = new Map<string, number>();
  for (const { sections } of blocks) {
    for (const { id, text } of sections) sent.set(id, (sent.get(id) ?? 0) + text.length);
  }
  return sent;
}

function changesIn(blocks: readonly CarriedBlock[]): Map<string, ServerChange> {
  const changes = new Map<string, ServerChange>();
  const note = (change: ServerChange, ids: readonly string[]): void => {
    for (const id of ids) changes.set(id, change);
  };
  const idsOf = (pairs: Said['added']): string[] => pairs.map(([id]) => id);
  for (const { said } of blocks) {
    note('added', idsOf(said.added));
    note('changed', idsOf(said.changed));
    note('restored', said.restored);
    note('removed', said.removed);
  }
  return changes;
}

function outcomeOf(view: ServerView, plan: Plan | undefined, hears: (id: string) => boolean): ServerOutcome {
  const told = plan?.told.get(view.printedId);
  // What the request still tells is told, whatever the host decided since: the news waits for the next message.
  if (!hears(view.id)) return told?.inForce === true ? 'told' : 'excluded';
  if (view.standing === 'none') {
    if (told?.inForce === true) return 'told';
    return view.outcome === 'absent' && told?.inForce === false ? 'withdrawn' : view.outcome;
  }
  if (told?.inForce !== true || plan === undefined) return 'pending';
  const unsaid = [...plan.unsaid.added, ...plan.unsaid.changed];
  return unsaid.some(({ id }) => id === view.printedId) ? 'pending' : 'told';
}

/** A server that is not there any more, as far as the request tells of it. */
function goneServer(
  id: string,
  facts: Pick<ServerReport, 'outcome' | 'change' | 'sentChars' | 'tokens'>,
): ServerReport {
  return {
    id,
    connection: 'removed',
    source: null,
    chars: 0,
    keptChars: 0,
    lostChars: 0,
    mode: 'full',
    limit: null,
    flags: [],
    ...facts,
  };
}
