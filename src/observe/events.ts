import type { EventDefinition } from './event-definition.js';
import { type InstructionsEvent, instructionsEvents } from './events/instructions-events.js';
import { type InjectorEvent, injectorEvents } from './events/injector-events.js';
import { type RequestEvent, requestEvents } from './events/request-events.js';
import { type ServerEvent, serverEvents } from './events/server-events.js';

/** The stable name of an event: noun, then verb. */
export type EventName = ServerEvent | InstructionsEvent | RequestEvent | InjectorEvent;

/** Every event there is. `docs/logs.md` shows the same table. */
export const events: Readonly<Record<EventName, EventDefinition>> = {
  ...serverEvents,
  ...instructionsEvents,
  ...requestEvents,
  ...injectorEvents,
};

/**
 * The definition of an event.
 *
 * @param name any string
 * @returns `undefined` when there is no such event
 */
export function findEvent(name: string): EventDefinition | undefined {
  const table: Readonly<Record<string, EventDefinition>> = events;
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
