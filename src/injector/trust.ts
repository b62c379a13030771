import type { CheckedServer } from '../servers/server-config.js';
import type { TrustPolicy } from '../options.js';

/**
 * What pins know a configured server by: a hash of how it is reached. Names of variables go in, their values and
 * headers do not; the name a server reports of itself never does.
 *
 * @param config the checked configuration
 * @param hash SHA-256 in hex
 */
export function configurationIdentity(config: CheckedServer, hash: (text: string) => string): string {
  const how =
    config.transport === 'stdio'
      ? ['stdio', config.command, config.args, config.cwd ?? null, [...config.env.keys()].sort()]
      : [config.transport, config.url];
  return hash(JSON.stringify(how));
}

/** Decides which texts may be shown, by the hash of the text as received. */
export class Trust {
  readonly #policy: TrustPolicy;
  readonly #pins: Map<string, string>;
  /** A pin file that cannot be read must not open the door. */
  readonly #readable: boolean;

  /**
   * @param policy what must hold before a text is shown
   * @param pins identity to approved SHA-256; a path is a pin file
   */
  constructor(policy: TrustPolicy, pins: string | Readonly<Record<string, string>> | undefined) {
    this.#policy = policy;
    this.#readable = typeof pins !== 'string';
    this.#pins = new Map(Object.entries(typeof pins === 'object' ? pins : {}));
    for (const [identity, sha256] of this.#pins) this.#pins.set(identity, sha256.toLowerCase());
  }

  /** Whether the text may be shown. Under `first-use` the first text seen is pinned. */
  allows(identity: string, sha256: string): boolean {
    if (this.#policy === 'allow') return true;
    if (!this.#readable) return false;
    const pinned = this.#pins.get(identity);
    if (pinned === undefined && this.#policy === 'first-use') {
      this.#pins.set(identity, sha256);
      return true;
    }
    return pinned === sha256;
  }

  /** The hash that is approved for an identity. */
  pinned(identity: string): string | undefined {
    return this.#pins.get(identity);
  }

  approve(identity: string, sha256: string): void {
    this.#pins.set(identity, sha256);
  }
}
