import type { EventFields } from './event-fields.js';
import type { LogLevel } from './logger.js';

/** One line of the log. */
export interface LogRecord {
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: EventFields;
}

/** Where log lines end up. */
export interface Sink {
  /** Whether a line of that level would be written at all. */
  accepts(level: LogLevel): boolean;
  /** Never throws. */
  write(record: LogRecord): void;
  /** Resolves when what was written so far is out, or cannot be. Never rejects. */
  flush(): Promise<void>;
}
