import { type ResolvedSettings, resolveSettings, type Settings } from '../../src/options.js';

interface Untyped {
  resolve(options: unknown, environment: Readonly<Record<string, string | undefined>>): ResolvedSettings;
}

/** `resolveSettings` as a host without types can call it. */
export const untyped: Untyped = { resolve: resolveSettings };

/** The settings that untyped options give, without an environment. */
export function settingsOf(options: unknown): Settings {
  return untyped.resolve(options, {}).settings;
}

/** What a call throws. */
export function errorOf(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  return undefined;
}
