/** One method of a pino-shaped logger: fields first, then the message. */
export type LogMethod = (fields: Record<string, unknown>, message?: string) => void;

/** The shape of logger that can be passed in: pino's, or anything with the same four methods. */
export interface LoggerLike {
  readonly debug: LogMethod;
  readonly info: LogMethod;
  readonly warn: LogMethod;
  readonly error: LogMethod;
}

/** The levels this library logs at. */
export type LogLevel = keyof LoggerLike;

/** The least severe level that the default logger writes; `silent` writes nothing. */
export type LogLevelSetting = LogLevel | 'trace' | 'fatal' | 'silent';
