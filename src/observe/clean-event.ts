import type { EventDefinition } from './event-definition.js';
import { cleanField } from './field-kinds.js';
import type { EventFields } from './event-fields.js';

/** What may be logged of one event, and what was wrong with it. */
export interface CleanEvent {
  readonly fields: EventFields;
  /** Names of fields that were dropped: not in the table, or not of their kind. */
  readonly dropped: readonly string[];
}

/**
 * Keeps of an event what its definition lists, in the definition's order. `undefined` and `null` are left out.
 *
 * @param definition the event's row of the table
 * @param fields what was emitted; a getter that throws counts as a dropped field
 */
export function cleanEvent(definition: EventDefinition, fields: EventFields): CleanEvent {
  const kept: Record<string, EventFields[string]> = {};
  const dropped = Object.keys(fields).filter((name) => !Object.hasOwn(definition.fields, name));
  for (const [name, kind] of Object.entries(definition.fields)) {
    try {
      const value = fields[name];
      if (value === undefined || value === null) continue;
      const cleaned = cleanField(kind, value);
      if (cleaned === undefined) dropped.push(name);
      else kept[name] = cleaned;
    } catch {
      dropped.push(name);
    }
  }
  return { fields: kept, dropped };
}
