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
    const printed = printIds(known.keys());
    const ids = [...printed.keys()];
    return ids.map((id) => this.#view(known.get(id)!, printed.get(id)!));
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
    const value = policy.override !== undefined && known.replied ? policy.override : known.value;
    const source = policy.override !== undefined && known.replied ? 'override' : known.source;
    const rule = { maxChars: policy.maxChars ?? this.#settings.maxChars };
    const admission = known.replied ? this.#texts.admit(id, value, rule) : undefined;
    const view = { id, printedId, identity, connection, source, admission, value };
    if (policy.mode !== 'full') return { ...view, standing: 'none', outcome: 'off' };
    if (this.#isAway(known)) return { ...view, standing: 'none', outcome: 'absent' };
    if (known.unavailableSince !== undefined || known.awaitsAuth || !known.replied) {
      return { ...view, standing: 'hold', outcome: 'pending' };
    }
    if (admission === undefined || admission.state !== 'admitted' || admission.sha256 === undefined) {
      return { ...view, standing: 'none', outcome: outcomeOf(admission) };
    }
    if (policy.override === undefined && !this.#trust.allows(identity, admission.sha256)) {
      this.#observer.emit('warn', 'instructions-withheld', {
        server: id,
        sha256: admission.sha256.slice(0, 12),
      });
      return { ...view, standing: 'none', outcome: 'withheld' };
    }
    const forced = this.#texts.forced(id, value, rule, printedId);
    return { ...view, standing: forced ?? 'none', outcome: forced === undefined ? 'absent' : 'pending' };
  }

  /** Whether a server has been away for so long that its text no longer counts. */
  #isAway({ unavailableSince }: Known): boolean {
    if (unavailableSince === undefined) return false;
    return this.#clock.now() - unavailableSince >= this.#settings.unavailableGraceMs;
  }
}

function fromReading(reading: AdoptedReading): Known {
  return {
    ...reading,
    connection: 'adopted',
    replied: reading.unavailableSince === undefined,
    source: 'adopted',
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
