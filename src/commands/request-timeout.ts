import { type Command, InvalidArgumentError, Option } from 'commander';

const unitsMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/** Takes the limit of a single request. A server has settings for that. */
export function withRequestTimeout(command: Command): Command {
  return command.addOption(
    new Option(
      '--request-timeout <duration>',
      'limit of a single request to the API server, such as 5s; a number is seconds, 0: no limit',
    ).argParser(parseRequestTimeout),
  );
}

/**
 * Returns milliseconds, whole ones, for the forms that kubectl takes: seconds without a unit, or a duration of Go, such as `1m30s`
 * or `1.5s`. https://pkg.go.dev/time#ParseDuration
 */
export function parseRequestTimeout(text: string): number {
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  if (!/^(?:(?:\d+\.?\d*|\.\d+)(?:[nuµm]?s|[mh]))+$/.test(text)) {
    throw new InvalidArgumentError('allowed: seconds, or a duration such as 500ms, 5s or 1m; 0 for no limit');
  }
  const parts = [...text.matchAll(/(?<count>[\d.]+)(?<unit>[a-zµ]+)/g)];
  return Math.ceil(
    parts.reduce((sumMs, { groups }) => sumMs + Number(groups?.['count']) * (unitsMs[groups?.['unit'] ?? ''] ?? 0), 0),
  );
}
