import type { FamilyGroup } from './family.js';
import { labelText, sampleLine } from './render.js';

/** The samples of one family, without its header lines. */
export interface FamilyText {
  readonly text: string;
  readonly seriesCount: number;
}

/** One text per family of the group, in their order. The text of each set of labels is made once for all of them. */
export function groupTexts<Source>(group: FamilyGroup<Source>, source: Source): readonly FamilyText[] {
  const families = group.families.map(({ name }, index) => ({ name, index, lines: new Array<string>() }));
  const labelNames = group.labels(source);
  for (const { labelValues, values } of group.samples(source)) {
    const labels = labelText(labelNames, labelValues);
    for (const { name, index, lines } of families) {
      const value = values[index];
      if (value !== undefined) lines.push(sampleLine(name, labels, value));
    }
  }
  return families.map(({ lines }) => ({ text: lines.join(''), seriesCount: lines.length }));
}
