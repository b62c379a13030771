/** How often and how fast a lost server is tried again. */
export interface BackoffSettings {
  /** The first pause, in ms; each further one is twice as long. */
  readonly firstMs: number;
  /** The longest pause of the fast attempts, in ms. */
  readonly longestMs: number;
  /** How many fast attempts follow a loss, or a first failure. */
  readonly fastAttempts: number;
  /** The pause of the slow attempts, which go on for ever, in ms. */
  readonly slowMs: number;
  /** Each pause is spread by this share, up and down, so that many clients do not come back together. */
  readonly jitter: number;
  /** How long a connection must hold before it counts as stable and the count starts anew, in ms. */
  readonly stableMs: number;
}

/** The settings in use. */
export const defaultBackoff: BackoffSettings = Object.freeze({
  firstMs: 1_000,
  longestMs: 30_000,
  fastAttempts: 6,
  slowMs: 300_000,
  jitter: 0.2,
  stableMs: 30_000,
});

/** When to try again. */
export interface Pause {
  readonly delayMs: number;
  /** Whether the fast attempts are used up. */
  readonly slow: boolean;
}

/**
 * The pause after an attempt.
 *
 * @param failures how many attempts or connections failed since the last stable connection, at least 1
 * @param settings see {@link BackoffSettings}
 * @param random a number in [0, 1)
 */
export function pauseAfter(failures: number, settings: BackoffSettings, random: number): Pause {
  const slow = failures > settings.fastAttempts;
  const base = slow ? settings.slowMs : Math.min(settings.longestMs, settings.firstMs * 2 ** (failures - 1));
  const spread = 1 + settings.jitter * (2 * random - 1);
  return { delayMs: Math.round(base * spread), slow };
}
