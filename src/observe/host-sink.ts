import type { LoggerLike } from './logger.js';
import type { LogRecord, Sink } from './sink.js';
import { swallow } from './swallow.js';

/**
 * Writes to the logger that the host passed in, which has its own levels, and survives whatever that logger does.
 *
 * @param logger pino, or anything of its shape
 */
export function hostSink(logger: LoggerLike): Sink {
  return {
    accepts: () => true,
    write: (record) => {
      try {
        swallow(callLogger(logger, record));
      } catch {
        // A broken logger is the host's to see; a request must not fail of it.
      }
    },
    flush: () => Promise.resolve(),
  };
}

/** As a method call, since loggers use `this`. */
function callLogger(logger: LoggerLike, { level, fields, message }: LogRecord): unknown {
  const copy = { ...fields };
  switch (level) {
    case 'debug':
      return logger.debug(copy, message);
    case 'info':
      return logger.info(copy, message);
    case 'warn':
      return logger.warn(copy, message);
    default:
      return logger.error(copy, message);
  }
}
