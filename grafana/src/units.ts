/** Identifiers of Grafana's units: bytes by powers of 1024, ratios as percent. */
export const units = {
  bytes: 'bytes',
  ratio: 'percentunit',
  seconds: 's',
  count: 'short',
  perSecond: 'ops',
  bytesPerSecond: 'binBps',
  timestamp: 'dateTimeAsIso',
  ago: 'dateTimeFromNow',
  /** For a state or a text. */
  none: 'none',
} as const;

export type Unit = (typeof units)[keyof typeof units];
