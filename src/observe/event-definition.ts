import type { FieldKind } from './field-kinds.js';
import type { LogLevel } from './logger.js';

/** One kind of event: all that may ever be logged under its name. */
export interface EventDefinition {
  readonly level: LogLevel;
  /** One line for people, without any value. */
  readonly message: string;
  /** The fields that may be logged, an allow-list; anything else is dropped. */
  readonly fields: Readonly<Record<string, FieldKind>>;
  /** It is of use every time, for every request or call, and so is never summarised. */
  readonly every?: true;
}
