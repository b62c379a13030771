import type { LoggerLike, LogLevel } from '../../src/observe/logger.js';

/** A logger that keeps its lines. */
export interface MemoryLogger extends LoggerLike {
  readonly lines: { level: LogLevel; fields: Record<string, unknown>; message: string | undefined }[];
}

export function memoryLogger(): MemoryLogger {
  const lines: MemoryLogger['lines'] = [];
  const method =
    (level: LogLevel) =>
    (fields: Record<string, unknown>, message?: string): void =>
      void lines.push({ level, fields, message });
  return {
    lines,
    debug: method('debug'),
    info: method('info'),
    warn: method('warn'),
    error: method('error'),
  };
}
