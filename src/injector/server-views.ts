import type { ForcedText, InForce } from '../conversation/diff.js';
import type { ServerOutcome, ServerReport } from '../cost/report.js';
import type { Admission } from '../instructions/admit.js';
import type { Observer } from '../observe/observer.js';
import type { Settings } from '../options.js';
import { printIds } from '../render/print-ids.js';
import type { Clock } from '../servers/clock.js';
import type { InstructionsPolicy } from '../servers/server-config.js';
import type { ServerSnapshot } from '../servers/server-state.js';
import type { AdmittedTexts } from './admitted-texts.js';
import type { AdoptedReading } from './adopted-sources.js';
import { configurationIdentity, type Trust } from './trust.js';

/** One server, connected or adopted, as a request sees it. */
export interface ServerView {
  readonly id: string;
  /** The id as a block prints it. */
  readonly printedId: string;
  readonly identity: string;
  readonly connection: ServerReport['connection'];
  /** What should apply: a text, nothing, or not known yet. */
  readonly standing: ForcedText | 'hold' | 'none';
  /** What the report says when nothing is told. */
  readonly outcome: ServerOutcome;
  readonly source: string | null;
  readonly admission: Admission | undefined;
  /** As received. */
  readonly value: unknown;
}

/** What is known of a server, whoever owns its client. */
interface Known {
  readonly id: string;
  readonly identity: string;
  readonly connection: ServerReport['connection'];
  readonly policy: InstructionsPolicy;
  /** Whether a reply was read. */
  readonly replied: boolean;
  readonly value: unknown;
  readonly source: string | null;
  readonly unavailableSince: number | undefined;
  /** Away, but only until credentials come. */
  readonly awaitsAuth: boolean;
}

/** Brings together what connections and adopted sources know, under the host's policy. */
export class ServerViews {
  readonly #settings: Settings;
  readonly #texts: AdmittedTexts;
  readonly #trust: Trust;
  readonly #clock: Clock;
  readonly #observer: Observer;
  readonly #hash: (text: string) => string;
  readonly #identities: WeakMap<object, string> = new WeakMap();
  #lastPrinted: ReadonlyMap<string, string> = new Map();

  constructor(parts: {
    settings: Settings;
    texts: AdmittedTexts;
    trust: Trust;
    clock: Clock;
    observer: Observer;
    hash: (text: string) => string;
  }) {
    this.#settings = parts.settings;
    this.#texts = parts.texts;
    this.#trust = parts.trust;
    this.#clock = parts.clock;
    this.#observer = parts.observer;
    this.#hash = parts.hash;
  }

  /**
   * @param snapshots the configured servers
   * @param readings the adopted sources; where both have an id, the adopted one counts
   * @returns all servers, sorted by id in code-unit order
   */
  collect(snapshots: readonly ServerSnapshot[], readings: readonly AdoptedReading[]): readonly ServerView[] {
    const known = new Map<string, Known>();
    for (const snapshot of snapshots) known.set(snapshot.id, this.#fromSnapshot(snapshot));
    for (const reading of readings) known.set(reading.id, fromReading(reading));
    const printed = this.#printed(known);
    return [...printed].map(([id, printedId]) => this.#view(known.get(id)!, printedId));
  }

  /** The servers change rarely, requests come all the time. */
  #printed(known: ReadonlyMap<string, Known>): ReadonlyMap<string, string> {
    const last = this.#lastPrinted;
    const isSame = last.size === known.size && [...known.keys()].every((id) => last.has(id));
    if (!isSame) this.#lastPrinted = printIds(known.keys());
    return this.#lastPrinted;
  }

  #fromSnapshot(snapshot: ServerSnapshot): Known {
    const { id, config, state, record } = snapshot;
    let identity = this.#identities.get(config);
    if (identity === undefined) {
      identity = configurationIdentity(config, this.#hash);
      this.#identities.set(config, identity);
    }
    return {
      id,
      identity,
      connection: state.state,
      policy: config.policy,
      replied: record !== undefined,
      value: record?.value,
      source: record?.source ?? null,
      unavailableSince: snapshot.unavailableSince,
      awaitsAuth: state.state === 'needs-auth',
    };
  }

  #view(known: Known, printedId: string): ServerView {
    const { id, identity, connection, policy } = known;
    const isOverridden = policy.override !== undefined && known.replied;
    const value = isOverridden ? policy.override : known.value;
    const source = isOverridden ? 'override' : known.source;
    const rule = { maxChars: policy.maxChars ?? this.#settings.maxChars };
    const admission = known.replied ? this.#texts.admit(id, value, rule) : undefined;
    let standing: ServerView['standing'] = 'none';
    let outcome: ServerOutcome = 'absent';
    if (policy.mode !== 'full') outcome = 'off';
    else if (this.#isAway(known)) outcome = 'absent';
    else if (known.unavailableSince !== undefined || known.awaitsAuth || !known.replied) {
      standing = 'hold';
      outcome = 'pending';
    } else if (admission?.state !== 'admitted' || admission.sha256 === undefined) {
      outcome = outcomeOf(admission);
    } else if (!isOverridden && !this.#isTrusted(id, identity, admission.sha256)) {
      outcome = 'withheld';
    } else {
      standing = this.#texts.forced(id, value, rule, printedId) ?? 'none';
      outcome = 'pending';
    }
    // One literal: this is made for every server at every request.
    return { id, printedId, identity, connection, standing, outcome, source, admission, value };
  }

  #isTrusted(id: string, identity: string, sha256: string): boolean {
    if (this.#trust.allows(identity, sha256)) return true;
    this.#observer.emit('warn', 'instructions-withheld', { server: id, sha256: sha256.slice(0, 12) });
    return false;
  }

  /** Whether a server has been away for so long that its text no longer counts. */
  #isAway({ unavailableSince }: Known): boolean {
    if (unavailableSince === undefined) return false;
    return this.#clock.now() - unavailableSince >= this.#settings.unavailableGraceMs;
  }
}

function fromReading({ id, identity, policy, value, unavailableSince }: AdoptedReading): Known {
  return {
    id,
    identity,
    connection: 'adopted',
    policy,
    replied: unavailableSince === undefined,
    value,
    source: 'adopted',
    unavailableSince,
    awaitsAuth: false,
  };
}

function outcomeOf(admission: Admission | undefined): ServerOutcome {
  return admission === undefined || admission.state === 'admitted' ? 'absent' : admission.state;
}

/**
 * @param views every server
 * @param hears whether the conversation is told about a server
 * @returns what should apply for the conversation, by printed id
 */
export function inForce(views: readonly ServerView[], hears: (id: string) => boolean): InForce {
  const forced = new Map<string, ForcedText | 'hold'>();
  for (const view of views) {
    if (view.standing !== 'none' && hears(view.id)) forced.set(view.printedId, view.standing);
  }
  return forced;
}
