import type { ForcedText, InForce } from '../conversation/diff.js';
import type { Told } from '../conversation/told.js';
import type { InstructionsLimit, ServerOutcome, ServerReport } from '../cost/report.js';
import type { Admission } from '../instructions/admit.js';
import type { Settings } from '../options.js';
import type { Clock } from '../servers/clock.js';
import type { InstructionsMode } from '../servers/server-config.js';
import type { Era, ServerSnapshot } from '../servers/server-state.js';
import type { AdmissionRule, AdmittedTexts } from './admitted-texts.js';
import type { AdoptedReading } from './adopted-sources.js';
import { fromReading, fromSnapshot, type KnownServer } from './known-server.js';
import { isHeard, type Hears } from './audience.js';
import type { Recipient } from './recipient.js';
import { ServerNames } from './server-names.js';
import type { Candidate, Share } from './settled-shares.js';
import type { Shares } from './shares.js';
import type { TextChanges } from './text-changes.js';
import type { TrustGate } from './trust-gate.js';
import type { TrustState } from './trust.js';
import { configurationIdentity } from './trust/configuration-identity.js';

/** One server, connected or adopted, as a request sees it. */
export interface ServerView {
  readonly id: string;
  /** The id as a block prints it. */
  readonly printedId: string;
  readonly identity: string;
  readonly connection: ServerReport['connection'];
  readonly mode: InstructionsMode;
  /** What should apply: a text, nothing, or not known yet. */
  readonly standing: ForcedText | 'hold' | 'none';
  /** What the report says when nothing is told. */
  readonly outcome: ServerOutcome;
  readonly source: string | null;
  readonly era: Era | null;
  readonly admission: Admission | undefined;
  /** The setting that cut the text. */
  readonly limit: InstructionsLimit | undefined;
  /** What the text takes of what all servers share. */
  readonly share: Share | undefined;
  /** Of the text and of the id. */
  readonly flags: readonly string[];
  /** As received, or the host's text in its place. */
  readonly value: unknown;
  /** As received. */
  readonly received: unknown;
  /** The cap that `admission` was made with, in UTF-16 units. */
  readonly maxChars: number;
  /** Ids of the other servers. */
  readonly others: readonly string[];
  /** How the text stands to the pins; `undefined` where nobody asked. */
  readonly trust: TrustState | undefined;
}

/** What is to happen with a server's text, before it is known how much of it there is room for. */
interface Decision {
  readonly known: KnownServer;
  readonly value: unknown;
  readonly source: string | null;
  readonly rule: AdmissionRule;
  /** `show`: a text is to apply. */
  readonly standing: 'show' | 'hold' | 'none';
  readonly outcome: ServerOutcome;
  readonly trust: TrustState | undefined;
}

/** A share for each server that is heard and has a text; `undefined` while it is not known. */
type Divided = ReadonlyMap<string, Share | undefined>;

/** Brings together what connections and adopted sources know, under the host's policy. */
export class ServerViews {
  readonly #settings: Settings;
  readonly #texts: AdmittedTexts;
  readonly #trust: TrustGate;
  readonly #shares: Shares;
  readonly #clock: Clock;
  readonly #hash: (text: string) => string;
  readonly #identities: WeakMap<object, string> = new WeakMap();
  readonly #names: ServerNames = new ServerNames();
  readonly #changes: TextChanges;

  constructor(parts: {
    settings: Settings;
    texts: AdmittedTexts;
    trust: TrustGate;
    shares: Shares;
    changes: TextChanges;
    clock: Clock;
    hash: (text: string) => string;
  }) {
    this.#settings = parts.settings;
    this.#texts = parts.texts;
    this.#trust = parts.trust;
    this.#shares = parts.shares;
    this.#changes = parts.changes;
    this.#clock = parts.clock;
    this.#hash = parts.hash;
  }

  /**
   * @param snapshots the configured servers
   * @param readings the adopted sources; where both have an id, the adopted one counts
   * @param recipient whom they are looked at for
   * @returns all servers, sorted by id in code-unit order
   */
  collect(
    snapshots: readonly ServerSnapshot[],
    readings: readonly AdoptedReading[],
    recipient: Recipient,
  ): readonly ServerView[] {
    const known = new Map<string, KnownServer>();
    for (const snapshot of snapshots) known.set(snapshot.id, this.#fromSnapshot(snapshot));
    for (const reading of readings) known.set(reading.id, fromReading(reading));
    this.#names.update([...known.keys()]);
    const decisions = [...this.#names.printed.keys()].map((id) => this.#decide(known.get(id)!));
    const shares = this.#divide(decisions, recipient);
    return decisions.map((decision) => this.#view(decision, shares));
  }

  /**
   * Admits and counts a text when it comes, so that no request has to.
   *
   * @param snapshot the server that it came from
   * @param ids of all servers there are
   */
  receive(snapshot: ServerSnapshot, ids: readonly string[]): void {
    this.#names.update(ids);
    const decision = this.#decide(this.#fromSnapshot(snapshot));
    const { known, value, rule } = decision;
    if (known.policy.mode === 'full') {
      this.#changes.reply(known.id, this.#texts.own(known.id, value, rule).admission);
    }
    if (decision.standing === 'show' && this.#isShared(decision))
      this.#shares.warm(this.#candidate(decision));
    else this.#view(decision, undefined);
  }

  #fromSnapshot(snapshot: ServerSnapshot): KnownServer {
    const { config } = snapshot;
    let identity = this.#identities.get(config);
    if (identity === undefined) {
      identity = configurationIdentity(config, this.#hash);
      this.#identities.set(config, identity);
    }
    return fromSnapshot(snapshot, identity);
  }

  #decide(known: KnownServer): Decision {
    const { id, policy } = known;
    const isOverridden = policy.override !== undefined && known.replied;
    const value = isOverridden ? policy.override : known.value;
    const source = isOverridden ? 'override' : known.source;
    const rule = {
      maxChars: policy.maxChars ?? this.#settings.maxChars,
      others: this.#names.others(id),
    };
    const decided = (
      standing: Decision['standing'],
      outcome: ServerOutcome,
      trust?: TrustState,
    ): Decision => ({ known, value, source, rule, standing, outcome, trust });
    if (policy.mode !== 'full') return decided('none', 'off');
    if (this.#isAway(known)) return decided('none', 'absent');
    if (known.awaySince !== undefined || known.awaitsAuth || !known.replied) {
      return decided('hold', 'pending');
    }
    const own = this.#texts.own(id, value, rule).admission;
    if (own.state !== 'admitted' || own.sha256 === undefined || typeof value !== 'string') {
      return decided('none', own.state === 'admitted' ? 'absent' : own.state);
    }
    // The host's own words need nobody's approval.
    if (isOverridden) return decided('show', 'pending');
    const { identity, era } = known;
    const trust = this.#trust.judge({
      id,
      identity,
      era,
      others: rule.others,
      text: value,
      sha256: own.sha256,
    });
    if (trust === undefined || trust === 'approved') return decided('show', 'pending', trust);
    return trust === 'unknown' ? decided('hold', 'pending', trust) : decided('none', 'withheld', trust);
  }

  #divide(decisions: readonly Decision[], { hears, shares }: Recipient): Divided | undefined {
    if (!decisions.some((decision) => decision.standing === 'show' && this.#isShared(decision)))
      return undefined;
    const standings = new Map<string, Decision['standing']>();
    const candidates: Candidate[] = [];
    for (const decision of decisions) {
      const { known, standing } = decision;
      if (!isHeard(hears, known.id)) continue;
      standings.set(known.id, standing);
      if (standing === 'show') candidates.push(this.#candidate(decision));
    }
    return this.#shares.divide(candidates, (id) => standings.get(id) === 'hold', shares);
  }

  /** Whether more than its own `maxChars` limits a text. */
  #isShared(decision: Decision): boolean {
    return this.#shares.hasTotal || this.#maxTokens(decision) !== undefined;
  }

  #candidate(decision: Decision): Candidate {
    const { known, value, rule } = decision;
    const own = this.#texts.own(known.id, value, rule).admission;
    return { id: known.id, value, own, maxTokens: this.#maxTokens(decision) };
  }

  #maxTokens({ known }: Decision): number | undefined {
    return known.policy.maxTokens ?? this.#settings.maxTokens;
  }

  #view(decision: Decision, shares: Divided | undefined): ServerView {
    const { known, value, source, rule, trust } = decision;
    const { id, identity, connection, era } = known;
    const printedId = this.#names.printed.get(id) ?? id;
    let { standing, outcome }: { standing: ServerView['standing'] | 'show'; outcome: ServerOutcome } =
      decision;
    const share = standing === 'show' ? shares?.get(id) : undefined;
    let text: { admission: Admission; limit: InstructionsLimit | undefined } | undefined;
    if (standing === 'show' && shares !== undefined && share === undefined) {
      // How much there is room for is still being found out; or it is not heard, and takes no room.
      standing = 'hold';
      if (!shares.has(id)) text = this.#texts.own(id, value, rule);
    } else if (known.replied) {
      // Nothing is said of a text that is not for a model.
      const isForModel = known.policy.mode === 'full';
      text = isForModel ? this.#texts.admit(id, value, rule, share) : this.#texts.own(id, value, rule);
    }
    if (standing === 'show') {
      const admission = text?.admission;
      if (admission?.state === 'admitted') {
        standing = this.#texts.forced(id, admission, printedId, this.#shares.hasTotal);
      } else [standing, outcome] = ['none', 'oversized'];
    }
    const admission = text?.admission;
    const nameFlags = this.#names.flags(id);
    const idFlags = this.#changes.isUnstable(id) ? [...nameFlags, 'unstable-text'] : nameFlags;
    const textFlags = admission?.flags ?? idFlags;
    // One literal: this is made for every server at every request.
    return {
      id,
      printedId,
      identity,
      connection,
      mode: known.policy.mode,
      standing,
      outcome,
      source,
      era,
      admission,
      limit: text?.limit,
      share,
      flags: idFlags.length === 0 || textFlags === idFlags ? textFlags : [...textFlags, ...idFlags],
      value,
      received: known.value,
      maxChars: text?.limit === 'maxChars' ? rule.maxChars : (share?.chars ?? rule.maxChars),
      others: rule.others,
      trust,
    };
  }

  /** Whether a server has been away for so long that its text no longer counts. */
  #isAway({ awaySince }: KnownServer): boolean {
    if (awaySince === undefined) return false;
    return this.#clock.elapsed() - awaySince >= this.#settings.unavailableGraceMs;
  }
}

/**
 * @param views every server
 * @param hears whether the conversation is told about a server
 * @returns what should apply for the conversation, by printed id
 */
export function inForce(views: readonly ServerView[], hears: Hears): InForce {
  const forced = new Map<string, ForcedText | 'hold'>();
  for (const view of views) {
    if (view.standing !== 'none' && hears(view.id)) forced.set(view.printedId, view.standing);
  }
  return forced;
}

/** @returns the servers whose text, as it is now, a request carries */
export function toldOf(
  views: readonly ServerView[],
  plan: { readonly told: Told } | undefined,
): readonly ServerView[] {
  if (plan === undefined) return [];
  return views.filter(
    ({ printedId, standing }) =>
      typeof standing === 'object' && plan.told.get(printedId)?.last === standing.hash,
  );
}
