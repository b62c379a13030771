import type { LoadedLogger } from './default-sink.js';
import type { LogLevelSetting } from './logger.js';

const standardError = 2;
const maxUnwrittenBytes = 1_048_576;
const flushLimitMs = 1_000;

/**
 * Loads pino, writing JSON lines. Never with a transport: those start a worker by path, which no bundler follows.
 *
 * @param level as for pino
 * @param fd where to write
 */
export async function loadPino(level: LogLevelSetting, fd: number = standardError): Promise<LoadedLogger> {
  const { default: pino } = await import('#pino');
  // Written asynchronously, because a parent that does not read our standard error must not stop the host's event loop. With a
  // `minLength` of 0 pino's flush would not wait.
  const destination = pino.destination({ dest: fd, sync: false, minLength: 1, maxLength: maxUnwrittenBytes });
  // Without a listener a closed standard error would end the process.
  destination.on('error', () => {});
  return {
    logger: pino({ name: 'mcp-instructions', level }, destination),
    flush: () =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, flushLimitMs);
        destination.flush(() => {
          clearTimeout(timer);
          resolve();
        });
      }),
  };
}
