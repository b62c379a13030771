import { idInPath, unknownServerFields } from './known-fields.js';
import { isDisabled, parseServerConfig } from './parse-server-config.js';
import type { CheckedServer } from './server-options.js';

/**
 * Checks entries of `mcpServers`. One that is disabled is treated as if it were not there, and its other fields are not looked at.
 *
 * @param entries by id
 * @param onUnknown called with the fields that mean nothing, such as `servers.docs.arg`, if there are any
 * @returns those that are to be connected, in the order in which they came
 * @throws InstructionsError `INVALID_SERVER`
 */
export function checkEntries(
  entries: Iterable<readonly [string, unknown]>,
  onUnknown: (fields: readonly string[]) => void,
): ReadonlyMap<string, CheckedServer> {
  const checked = new Map<string, CheckedServer>();
  const unknown: string[] = [];
  for (const [id, config] of entries) {
    if (isDisabled(id, config)) continue;
    checked.set(id, parseServerConfig(id, config));
    for (const field of unknownServerFields(config)) unknown.push(`servers.${idInPath(id)}.${field}`);
  }
  if (unknown.length > 0) onUnknown(unknown);
  return checked;
}
