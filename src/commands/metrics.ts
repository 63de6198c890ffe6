import { familyTable } from '../metrics/exposition/families.js';
import type { FamilyRow } from '../metrics/exposition/family.js';
import { selfFamilies } from '../metrics/telemetry/self-families.js';

/** The table of metric families, as markdown. */
export function metricsTable(): string {
  return tableOf(familyTable(Object.values(selfFamilies)));
}

/** The families that `metrics.compatibility` adds, and those to which it adds labels. */
export function compatibilityTable(): string {
  const own = new Map(familyTable([]).map(({ name, labels }) => [name, labels.length]));
  const all = familyTable([], 'k8s-ephemeral-storage-metrics');
  return tableOf(all.filter(({ name, labels }) => own.get(name) !== labels.length));
}

function tableOf(families: readonly FamilyRow[]): string {
  const code = (text: string): string => `\`${text}\``;
  return markdownTable(
    ['Family', 'Type', 'Labels', 'Profile', 'Meaning'],
    families.map(({ name, type, labels, profile, help }) => [
      code(name),
      type,
      labels.map(code).join(', '),
      profile,
      help,
    ]),
  );
}

/** A markdown table; `|` in cells is escaped. */
export function markdownTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', String.raw`\|`)).join(' | ')} |`;
  return [line(header), line(header.map(() => '---')), ...rows.map(line)].join('\n');
}
