import { familyTable } from '../exposition/families.js';
import { selfFamilies } from '../telemetry/self-families.js';
import { markdownTable } from './markdown.js';

/** The table of metric families, as markdown. */
export function metricsTable(): string {
  const code = (text: string): string => `\`${text}\``;
  return markdownTable(
    ['Family', 'Type', 'Labels', 'Meaning'],
    familyTable(Object.values(selfFamilies)).map(({ name, type, labels, help }) => [
      code(name),
      type,
      labels.map(code).join(', '),
      help,
    ]),
  );
}
