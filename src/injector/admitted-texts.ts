import type { TokenCounter } from '../cost/token-counter.js';
import { admit, type Admission } from '../instructions/admit.js';
import type { Observer } from '../observe/observer.js';
import { renderSection } from '../render/section.js';
import type { ForcedText } from '../conversation/diff.js';

/** What decides how a text is admitted. */
export interface AdmissionRule {
  /** UTF-16 units. */
  readonly maxChars: number;
}

interface Known {
  readonly value: unknown;
  readonly maxChars: number;
  readonly admission: Admission;
  /** By printed id. */
  forced: { readonly printedId: string; readonly text: ForcedText } | undefined;
}

const HASH_PREFIX = 12;

/**
 * Admits each server's text once, when it is first seen, and says in the log what was noticed. The same path for the
 * first text of a server and for every later one.
 */
export class AdmittedTexts {
  readonly #known: Map<string, Known> = new Map();
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
   * @param id the server's id
   * @param value what it sent, or what the host set in its place
   * @param rule how it is admitted
   */
  admit(id: string, value: unknown, rule: AdmissionRule): Admission {
    return this.#of(id, value, rule).admission;
  }

  /**
   * @param id the server's id
   * @param value what it sent, or what the host set in its place
   * @param rule how it is admitted
   * @param printedId the id as it is printed
   * @returns the text as it would be told, `undefined` when it was not admitted
   */
  forced(id: string, value: unknown, rule: AdmissionRule, printedId: string): ForcedText | undefined {
    const known = this.#of(id, value, rule);
    if (known.admission.state !== 'admitted') return undefined;
    if (known.forced?.printedId !== printedId) {
      const { text } = known.admission;
      const section = renderSection(printedId, text);
      const hash = this.#hash(section);
      known.forced = { printedId, text: { text, hash } };
      // Failing to count leaves a rough figure; the counter reports it.
      void this.#counter.warm(section, hash).catch(() => undefined);
    }
    return known.forced?.text;
  }

  /** Forgets a server that is gone. */
  forget(id: string): void {
    this.#known.delete(id);
  }

  #of(id: string, value: unknown, { maxChars }: AdmissionRule): Known {
    const known = this.#known.get(id);
    if (known !== undefined && known.value === value && known.maxChars === maxChars) return known;
    const admission = admit(value, { maxChars, sha256: this.#sha256 });
    const fresh: Known = { value, maxChars, admission, forced: undefined };
    this.#known.set(id, fresh);
    this.#notice(id, admission);
    return fresh;
  }

  #notice(id: string, admission: Admission): void {
    const { state, chars, keptChars, lostChars, flags } = admission;
    const sha256 = admission.sha256?.slice(0, HASH_PREFIX);
    if (state === 'blank') this.#observer.emit('warn', 'instructions-blank', { server: id, chars, sha256 });
    if (state === 'invalid') this.#observer.emit('warn', 'instructions-invalid', { server: id });
    if (state === 'oversized') this.#observer.emit('warn', 'instructions-oversized', { server: id, chars });
    if (admission.truncated) {
      this.#observer.emit('warn', 'instructions-truncated', {
        server: id,
        chars,
        keptChars,
        lostChars,
        sha256,
      });
    }
    if (flags.length > 0) {
      this.#observer.emit('info', 'instructions-flagged', { server: id, flags, sha256 });
    }
  }
}
