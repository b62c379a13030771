import type { ForcedText } from '../conversation/diff.js';
import type { InstructionsLimit } from '../cost/report.js';
import type { TokenCounter } from '../cost/token-counter.js';
import { admit, type Admission } from '../instructions/admit.js';
import type { Observer } from '../observe/observer.js';
import { isCutOf } from '../render/earlier-cut.js';
import { renderSection } from '../render/section.js';
import type { Share } from './shares.js';

/** What decides how a text is admitted, shares aside. */
export interface AdmissionRule {
  /** UTF-16 units. */
  readonly maxChars: number;
  /** Ids of the other servers; the same array as long as they are the same. */
  readonly others: readonly string[];
}

/** A text as it may be shown. */
export interface AdmittedText {
  readonly admission: Admission;
  /** The setting that cut it; `undefined` when it is whole. */
  readonly limit: InstructionsLimit | undefined;
}

interface Known {
  readonly value: unknown;
  readonly rule: AdmissionRule;
  /** Under the rule alone. */
  readonly own: AdmittedText;
  /** Under the newest share. */
  cut: { readonly chars: number; readonly text: AdmittedText } | undefined;
  /** By printed id. */
  forced:
    | { readonly printedId: string; readonly admission: Admission; readonly text: ForcedText }
    | undefined;
}

const HASH_PREFIX = 12;

/**
 * Admits each server's text once, when it is first seen, and says in the log what was noticed. The same path for the
 * first text of a server and for every later one, for whole texts and for those that get a share.
 */
export class AdmittedTexts {
  readonly #known: Map<string, Known> = new Map();
  /** What was said of each server last, so that the same is not said again. */
  readonly #noticed: Map<string, { readonly text: AdmittedText; readonly said: string }> = new Map();
  readonly #observer: Observer;
  readonly #sha256: (text: string) => string;
  readonly #hash: (text: string) => string;
  readonly #counter: TokenCounter;

  /**
   * @param observer where notices go
   * @param sha256 SHA-256 in hex
   * @param hash the key of a section
   * @param counter counts a text ahead, so that no request has to
   */
  constructor(
    observer: Observer,
    sha256: (text: string) => string,
    hash: (text: string) => string,
    counter: TokenCounter,
  ) {
    this.#sha256 = sha256;
    this.#observer = observer;
    this.#hash = hash;
    this.#counter = counter;
  }

  /**
   * The text under the rule alone, without a word in the log: what it would take if it got all it wants.
   *
   * @param id the server's id
   * @param value what it sent, or what the host set in its place
   * @param rule how it is admitted
   */
  own(id: string, value: unknown, rule: AdmissionRule): AdmittedText {
    return this.#of(id, value, rule).own;
  }

  /**
   * @param id the server's id
   * @param value what it sent, or what the host set in its place
   * @param rule how it is admitted
   * @param share how much of it, when others want their part too
   */
  admit(id: string, value: unknown, rule: AdmissionRule, share?: Share): AdmittedText {
    const text = this.#text(this.#of(id, value, rule), share);
    this.#notice(id, text, share?.chars ?? rule.maxChars);
    return text;
  }

  /**
   * @param id the server's id, admitted before
   * @param admission how it was admitted
   * @param printedId the id as it is printed
   * @param isShared whether its length depends on what other servers say
   * @returns the text as it would be told
   */
  forced(id: string, admission: Admission, printedId: string, isShared: boolean): ForcedText {
    const known = this.#known.get(id);
    if (known?.forced?.admission === admission && known.forced.printedId === printedId)
      return known.forced.text;
    const { text } = admission;
    const section = renderSection(printedId, text);
    const hash = this.#hash(section);
    const whole = known?.own.admission.text;
    const forced: ForcedText =
      isShared && whole !== undefined
        ? { text, hash, isToldBy: (told) => isCutOf(told, printedId, whole) }
        : { text, hash };
    if (known !== undefined) known.forced = { printedId, admission, text: forced };
    // Failing to count leaves a rough figure; the counter reports it.
    void this.#counter.warm(section, hash).catch(() => undefined);
    return forced;
  }

  /** Forgets a server that is gone. */
  forget(id: string): void {
    this.#known.delete(id);
    this.#noticed.delete(id);
  }

  #of(id: string, value: unknown, rule: AdmissionRule): Known {
    const known = this.#known.get(id);
    if (
      known !== undefined &&
      known.value === value &&
      known.rule.maxChars === rule.maxChars &&
      known.rule.others === rule.others
    ) {
      return known;
    }
    const admission = this.#admit(value, rule, rule.maxChars);
    const limit = admission.state === 'admitted' && admission.truncated ? 'maxChars' : undefined;
    const fresh: Known = { value, rule, own: { admission, limit }, cut: undefined, forced: undefined };
    this.#known.set(id, fresh);
    return fresh;
  }

  #text(known: Known, share: Share | undefined): AdmittedText {
    const { own, cut } = known;
    if (share === undefined || share.chars >= own.admission.keptChars) return own;
    if (cut?.chars === share.chars && cut.text.limit === share.limit) return cut.text;
    const admission =
      share.chars === 0 ? nothingOf(own.admission) : this.#admit(known.value, known.rule, share.chars);
    known.cut = { chars: share.chars, text: { admission, limit: share.limit } };
    return known.cut.text;
  }

  #admit(value: unknown, { others }: AdmissionRule, maxChars: number): Admission {
    return admit(value, { maxChars, sha256: this.#sha256, otherServers: others });
  }

  #notice(id: string, text: AdmittedText, maxChars: number): void {
    const last = this.#noticed.get(id);
    if (last?.text === text) return;
    const { admission, limit } = text;
    const { state, chars, keptChars, lostChars, flags } = admission;
    const said = [state, admission.sha256, chars, keptChars, limit, ...flags].join(' ');
    this.#noticed.set(id, { text, said });
    if (last?.said === said) return;
    const sha256 = admission.sha256?.slice(0, HASH_PREFIX);
    if (state === 'blank') this.#observer.emit('warn', 'instructions-blank', { server: id, chars, sha256 });
    if (state === 'invalid') this.#observer.emit('warn', 'instructions-invalid', { server: id });
    if (state === 'oversized' && limit === undefined) {
      this.#observer.emit('warn', 'instructions-oversized', { server: id, chars });
    }
    if (limit !== undefined) {
      this.#observer.emit('warn', 'instructions-truncated', {
        server: id,
        sha256,
        chars,
        keptChars,
        lostChars,
        maxChars,
        limit,
      });
    }
    if (flags.length > 0) {
      this.#observer.emit('info', 'instructions-flagged', { server: id, flags, sha256 });
    }
  }
}

/** A text for which nothing is left of what all servers share: a marker alone would tell a model nothing. */
function nothingOf(own: Admission): Admission {
  const lostChars = own.lostChars + own.keptChars;
  return { ...own, state: 'oversized', text: '', keptChars: 0, lostChars, truncated: true };
}
