export const logLevels = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof logLevels)[number];

export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

/** Writes one line per call, without the fields that are undefined. Never pass a token, a header or a request body. */
export type Logger = Readonly<Record<LogLevel, (message: string, fields?: LogFields) => void>>;

export const silentLogger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
