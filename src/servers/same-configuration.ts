import type { CheckedServer } from './server-options.js';

/**
 * Whether two configurations lead to the same connection: everything but the policy and `required`, which change nothing about it.
 */
export function isSameConnection(left: CheckedServer, right: CheckedServer): boolean {
  if (left.connectTimeoutMs !== right.connectTimeoutMs || !isSameValue(left.protocol, right.protocol))
    return false;
  if (left.transport === 'stdio')
    return (
      right.transport === 'stdio' &&
      left.command === right.command &&
      left.cwd === right.cwd &&
      isSameValue(left.args, right.args) &&
      isSameMap(left.env, right.env)
    );
  return (
    right.transport === left.transport &&
    left.url === right.url &&
    left.authProvider === right.authProvider &&
    left.fetch === right.fetch &&
    isSameMap(left.headers, right.headers)
  );
}

function isSameMap(left: ReadonlyMap<string, string>, right: ReadonlyMap<string, string>): boolean {
  return left.size === right.size && [...left].every(([key, value]) => right.get(key) === value);
}

function isSameValue(left: unknown, right: unknown): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}
