import type { LogLevel } from './logger.js';

/** What an event may carry: ids, lengths, counts, figures, hash prefixes. Never a text or a secret. */
export type EventFields = Readonly<
  Record<string, string | number | boolean | null | undefined | readonly string[]>
>;

/** Where the parts of the library report what happened. An observer never throws. */
export interface Observer {
  /**
   * @param level the severity
   * @param event the stable name, noun then verb, such as `server-connected`
   * @param fields what the event carries; see {@link EventFields}
   */
  emit(level: LogLevel, event: string, fields?: EventFields): void;
}
