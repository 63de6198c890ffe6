import { type FamilyGroup } from './family.js';
import { labelText, sampleLine } from './render.js';

/** The samples of one family, without its header lines. */
export interface FamilyText {
  readonly text: string;
  readonly seriesCount: number;
}

/**
 * One text per family of the group, in their order. The label text of a subject is made once for all of them. Of
 * subjects with the same labels (a kubelet that lists a container twice) the first is served: a series that appears
 * twice would cost Prometheus samples of the scrape.
 */
export function groupTexts<Source>(group: FamilyGroup<Source>, source: Source): readonly FamilyText[] {
  const families = group.families.map(({ name }) => ({ name, text: '', seriesCount: 0 }));
  const seen = new Set<string>();
  for (const { labelValues, values } of group.samples(source)) {
    const labels = labelText(group.labels, labelValues);
    if (seen.has(labels)) continue;
    seen.add(labels);
    for (const [index, family] of families.entries()) {
      const value = values[index];
      if (value === undefined) continue;
      family.text += sampleLine(family.name, labels, value);
      family.seriesCount += 1;
    }
  }
  return families;
}
