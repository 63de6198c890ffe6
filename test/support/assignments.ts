import { parse, stringify } from 'yaml';

/** What `--set` needs for the settings of a file: also for those that a file does not have. */
export function assignmentsOf(text: string): readonly string[] {
  const settings = Object.entries((parse(text) ?? {}) as object);
  return settings.map(([key, value]) => `${key}=${typeof value === 'string' ? value : flowText(value)}`);
}

function flowText(value: unknown): string {
  return stringify(value, { collectionStyle: 'flow', lineWidth: 0 }).trim();
}
