/**
 * What must hold before a server's text is shown: `allow` shows what the host configured, `pinned` withholds a text until its
 * hash is approved, `first-use` pins at first sight and withholds a later change.
 */
export type TrustPolicy = 'allow' | 'pinned' | 'first-use';

/** A variable that was set to something not accepted; the default (or nothing) applies in its place. */
export interface IgnoredSetting {
  /** The name of the environment variable. */
  readonly variable: string;
  /** What came: bounded, control characters made visible. */
  readonly value: string;
  /** What is accepted. */
  readonly accepted: string;
}
