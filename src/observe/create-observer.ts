import { cleanEvent } from './clean-event.js';
import { defaultSink, type LoadedLogger } from './default-sink.js';
import type { EventDefinition } from './event-definition.js';
import type { EventFields } from './event-fields.js';
import { findEvent } from './events.js';
import { hostSink } from './host-sink.js';
import { loadPino } from './load-pino.js';
import type { LoggerLike, LogLevelSetting } from './logger.js';
import type { Observer } from './observer.js';
import { RepeatLimiter } from './repeat-limiter.js';
import type { Sink } from './sink.js';

/** What {@link createObserver} takes. */
export interface ObserverOptions {
  /** A pino-shaped logger. @default pino, JSON lines to standard error */
  readonly logger?: LoggerLike | undefined;
  /** The least severe level that the default logger writes; a `logger` has its own rule. @default 'warn' */
  readonly logLevel?: LogLevelSetting | undefined;
  /** The time in ms, of any origin. @default `performance.now` */
  readonly clock?: (() => number) | undefined;
  /** Gives the default logger. @default loads pino */
  readonly load?: (() => Promise<LoadedLogger>) | undefined;
}

/** An observer that writes a log. */
export interface LogObserver extends Observer {
  /** Writes what is held back as repeated, and resolves when the default logger is done, at most a second later. Never rejects. */
  flush(): Promise<void>;
}

const repeatWindowMs = 60_000;

/**
 * The observer of an injector: cleans each event by the table, holds back repetitions (same event, server and reason within a minute) and
 * writes the rest.
 *
 * @param options see {@link ObserverOptions}
 */
export function createObserver(options: ObserverOptions = {}): LogObserver {
  const { logger, logLevel = 'warn', clock = () => performance.now() } = options;
  const sink: Sink = logger
    ? hostSink(logger)
    : defaultSink(logLevel, options.load ?? (() => loadPino(logLevel)));
  const limiter = new RepeatLimiter(repeatWindowMs, clock, (record) => sink.write(record));
  return {
    emit: (level, event, fields = {}) => {
      try {
        const definition = findEvent(event);
        if (!definition || !sink.accepts(level)) return;
        const cleaned = cleanEvent(definition, fields).fields;
        limiter.pass(keyOf(event, definition, cleaned), {
          level,
          message: definition.message,
          fields: { event, ...cleaned },
        });
      } catch {
        // An observer never throws: what it is told about matters more than the telling.
      }
    },
    flush: async () => {
      try {
        limiter.flush();
      } catch {
        // As above.
      }
      await sink.flush();
    },
  };
}

function keyOf(event: string, definition: EventDefinition, fields: EventFields): string | undefined {
  return definition.every ? undefined : JSON.stringify([event, fields['server'], fields['reason']]);
}
