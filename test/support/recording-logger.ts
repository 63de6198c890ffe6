import { type LogFields, type Logger, type LogLevel, logLevels } from '../../src/lib/base/logger.js';

/** Hands each call to `record`. */
export function loggerOf(record: (level: LogLevel, message: string, fields: LogFields | undefined) => void): Logger {
  const writers = logLevels.map((level) => {
    return [
      level,
      (message: string, fields?: LogFields): void => {
        record(level, message, fields);
      },
    ] as const;
  });
  return Object.fromEntries(writers) as Logger;
}

/** Adds a line for each call: level, message and fields. */
export const recordingLogger = (lines: string[]): Logger =>
  loggerOf((level, message, fields) => lines.push(`${level}: ${message} ${JSON.stringify(fields)}`));
