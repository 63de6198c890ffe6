/** The text of families, made part by part without anything kept: what the exposition must be, byte for byte. */
import type { FamilyGroup, SourceGroup } from '../../src/metrics/exposition/family.js';
import type { Division } from '../../src/metrics/exposition/incremental-text.js';
import { sampleLine, SampleLines } from '../../src/metrics/exposition/render.js';

/** The text of each family of the group. */
export function groupTexts<Source>(group: FamilyGroup<Source>, ...sources: readonly Source[]): readonly string[] {
  return group.families.map((family) => {
    const only = group.narrowed((other) => other === family);
    return sources.map((source) => linesOf(only, family.name, source).join('')).join('');
  });
}

function linesOf<Source>(group: FamilyGroup<Source>, name: string, source: Source): readonly string[] {
  const lines: string[] = [];
  class Recorded extends SampleLines {
    override add(labels: string, value: number): void {
      lines.push(sampleLine(name, labels, value));
    }
  }
  group.write(source, [new Recorded(name)], 0);
  return lines;
}

/** The text of each family of the source. */
export function sourceTexts<Source, Item extends object, Part>(
  groups: readonly SourceGroup<Source, Part>[],
  division: Division<Source, Item, Part>,
  source: Source,
): readonly string[] {
  const all = division.items(source).map(division.partOf(source));
  return groups.flatMap((entry) =>
    entry.per === 'source' ? groupTexts(entry.group, source) : groupTexts(entry.group, ...all),
  );
}
