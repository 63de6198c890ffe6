export const logLevels = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof logLevels)[number];

export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

/** One line per call; fields without a value are left out. Never given a token, a header or a request body. */
export type Logger = Readonly<Record<LogLevel, (message: string, fields?: LogFields) => void>>;
