import type { LoggerLike, LogLevel, LogLevelSetting } from './logger.js';
import { injectorEvents } from './events/injector-events.js';
import { hostSink } from './host-sink.js';
import type { LogRecord, Sink } from './sink.js';

/** A loaded logger and a way to wait for it. */
export interface LoadedLogger {
  readonly logger: LoggerLike;
  flush(): Promise<void>;
}

const severity: Readonly<Record<LogLevelSetting, number>> = {
  trace: 10,
  debug: 20,
  info: 30,
  warn: 40,
  error: 50,
  fatal: 60,
  silent: Number.POSITIVE_INFINITY,
};
const maxBuffered = 256;

/**
 * The log of a host that gave no logger. The logger is loaded at the first line it would write, so that a quiet process never
 * pays for it; lines before that wait in order, the first 256 of them. Without a logger to load nothing is written.
 *
 * @param level the least severe level that is written
 * @param load gives the logger
 */
export function defaultSink(level: LogLevelSetting, load: () => Promise<LoadedLogger>): Sink {
  let waiting: LogRecord[] = [];
  let dropped = 0;
  let target: Sink | undefined;
  let loading: Promise<LoadedLogger | undefined> | undefined;

  const start = async (): Promise<LoadedLogger | undefined> => {
    const loaded = await loadOrNothing(load);
    target = loaded ? hostSink(loaded.logger) : silent;
    for (const record of waiting) target.write(record);
    waiting = [];
    if (dropped > 0) target.write(dropRecord(dropped));
    return loaded;
  };

  return {
    accepts: (candidate: LogLevel) => severity[candidate] >= severity[level],
    write: (record) => {
      loading ??= start();
      if (target) target.write(record);
      else if (waiting.length < maxBuffered) waiting.push(record);
      else dropped += 1;
    },
    flush: async () => {
      const loaded = await loading;
      await loaded?.flush().catch(() => {});
    },
  };
}

const silent: Sink = { accepts: () => false, write: () => {}, flush: () => Promise.resolve() };

/** Bundled without pino, or on a runtime that has none: the library is silent. */
async function loadOrNothing(load: () => Promise<LoadedLogger>): Promise<LoadedLogger | undefined> {
  try {
    return await load();
  } catch {
    return undefined;
  }
}

function dropRecord(events: number): LogRecord {
  return {
    level: 'warn',
    message: injectorEvents['logs-dropped'].message,
    fields: { event: 'logs-dropped', events },
  };
}
