import type { ServerDisplayInfo } from './server-state.js';

const longestRaw = 512;

/**
 * Makes what a server calls itself fit for display: one line, no controls or invisible characters, bounded.
 *
 * @param info the server's `serverInfo`, untrusted
 */
export function cleanServerInfo(info: unknown): ServerDisplayInfo | undefined {
  if (typeof info !== 'object' || info === null) return undefined;
  const name = clean(Reflect.get(info, 'name'));
  if (name === '') return undefined;
  return Object.freeze({ name, version: clean(Reflect.get(info, 'version')) });
}

function clean(value: unknown): string {
  if (typeof value !== 'string') return '';
  const line = value
    .slice(0, longestRaw)
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}\u{FE00}-\u{FE0F}\u{E0100}-\u{E01EF}]+/gu, ' ')
    .replace(/\s+/gu, ' ')
    .trim();
  return /^.{0,64}/su.exec(line)?.[0] ?? '';
}
