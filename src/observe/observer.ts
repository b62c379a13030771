import type { EventFields } from './event-fields.js';
import type { EventName } from './events.js';
import type { LogLevel } from './logger.js';

export type { EventFields } from './event-fields.js';

/** Where the parts of the library report what happened. An observer never throws. */
export interface Observer {
  /**
   * @param level the severity; the table of events says which
   * @param event the stable name, noun then verb, such as `server-connected`
   * @param fields what the event carries; see {@link EventFields}. A field that the table does not list is dropped
   */
  emit(level: LogLevel, event: EventName, fields?: EventFields): void;
}
