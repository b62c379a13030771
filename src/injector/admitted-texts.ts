import type { ForcedText } from '../conversation/diff.js';
import type { InstructionsLimit } from '../cost/report.js';
import type { TokenCounter } from '../cost/token-counter.js';
import { admit, type Admission } from '../instructions/admit.js';
import type { Observer } from '../observe/observer.js';
import { isCutOf } from '../render/earlier-cut.js';
import { renderSection } from '../render/section.js';
import type { Share } from './settled-shares.js';

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
  /** Under the newest shares: conversations can have different ones. */
  readonly cuts: { readonly chars: number; readonly text: AdmittedText }[];
  /** The newest, by printed id. */
  readonly forced: WeakMap<Admission, { readonly printedId: string; readonly text: ForcedText }>;
  /** What was noticed, whatever was said of it. */
  readonly seen: WeakSet<AdmittedText>;
}

const HASH_PREFIX = 12;
const MAX_CUTS = 8;

/**
 * Admits each server's text once, when it is first seen, and says in the log what was noticed. The same path for the
 * first text of a server and for every later one, for whole texts and for those that get a share.
 */
export class AdmittedTexts {
  readonly #known: Map<string, Known> = new Map();
  /** What was said of each server's text, so that the same is not said again. */
  readonly #said: Map<string, { readonly value: unknown; readonly said: Set<string> }> = new Map();
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
    const known = this.#of(id, value, rule);
    const text = this.#text(known, share);
    if (!known.seen.has(text)) this.#notice(id, known, text, share?.maxTokens);
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
    const earlier = known?.forced.get(admission);
    if (earlier?.printedId === printedId) return earlier.text;
    const { text } = admission;
    const section = renderSection(printedId, text);
    const hash = this.#hash(section);
    const whole = known?.own.admission.text;
    const forced: ForcedText =
      isShared && whole !== undefined
        ? { text, hash, isToldBy: (told) => isCutOf(told, printedId, whole) }
        : { text, hash };
    known?.forced.set(admission, { printedId, text: forced });
    // Failing to count leaves a rough figure; the counter reports it.
    void this.#counter.warm(section, hash).catch(() => undefined);
    return forced;
  }

  /** Forgets a server that is gone. */
  forget(id: string): void {
    this.#known.delete(id);
    this.#said.delete(id);
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
    const own: AdmittedText = { admission, limit };
    const fresh: Known = { value, rule, own, cuts: [], forced: new WeakMap(), seen: new WeakSet() };
    this.#known.set(id, fresh);
    return fresh;
  }

  #text(known: Known, share: Share | undefined): AdmittedText {
    const { own, cuts } = known;
    if (share === undefined || share.chars >= own.admission.keptChars) return own;
    const { chars, limit } = share;
    const made = cuts.find((cut) => cut.chars === chars && cut.text.limit === limit);
    if (made !== undefined) return made.text;
    const admission = chars === 0 ? nothingOf(own.admission) : this.#admit(known.value, known.rule, chars);
    const text = { admission, limit };
    if (cuts.length === MAX_CUTS) cuts.shift();
    cuts.push({ chars, text });
    return text;
  }

  #admit(value: unknown, { others }: AdmissionRule, maxChars: number): Admission {
    return admit(value, { maxChars, sha256: this.#sha256, otherServers: others });
  }

  #notice(id: string, known: Known, text: AdmittedText, maxTokens: number | undefined): void {
    known.seen.add(text);
    const { admission, limit } = text;
    const { state, chars, keptChars, lostChars, flags } = admission;
    let { said, value } = this.#said.get(id) ?? {};
    if (said === undefined || value !== known.value) {
      [said, value] = [new Set(), known.value];
      this.#said.set(id, { said, value });
    }
    const notice = [state, admission.sha256, chars, keptChars, limit, ...flags].join(' ');
    if (said.has(notice)) return;
    said.add(notice);
    const sha256 = admission.sha256?.slice(0, HASH_PREFIX);
    if (state === 'blank') this.#observer.emit('warn', 'instructions-blank', { server: id, chars, sha256 });
    if (state === 'invalid')
      this.#observer.emit('warn', 'instructions-invalid', { server: id, type: kindOf(known.value) });
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
        maxChars: known.rule.maxChars,
        maxTokens,
        limit,
      });
    }
    if (flags.length > 0) {
      this.#observer.emit('info', 'instructions-flagged', { server: id, chars, flags, sha256 });
    }
  }
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** A text for which nothing is left of what all servers share: a marker alone would tell a model nothing. */
function nothingOf(own: Admission): Admission {
  const lostChars = own.lostChars + own.keptChars;
  return { ...own, state: 'oversized', text: '', keptChars: 0, lostChars, truncated: true };
}
