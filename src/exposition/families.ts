/** THE table of metric families: its parts say name, help, labels, and how each value comes from the data of a scrape. */
import type { NodeSnapshot } from '../scrape/snapshot.js';
import type { FamilyGroup, FamilyRow } from './family.js';
import { nodeGroups, nodeStateGroups } from './node-families.js';
import { containerGroups, podGroups, volumeGroups } from './pod-families.js';
import { workloadGroups, workloadInfoFamily } from './workload-families.js';

/** What one node's summary gives. Nothing here may depend on the time of the scrape: the text is kept. */
export const detailGroups: readonly FamilyGroup<NodeSnapshot>[] = [
  ...podGroups,
  ...containerGroups,
  ...volumeGroups,
  ...nodeGroups,
];

/** All families, in the order of the exposition; `selfFamilies` are those about the exporter itself. */
export function familyTable(selfFamilies: readonly Omit<FamilyRow, 'level'>[]): readonly FamilyRow[] {
  return [
    ...workloadGroups.flatMap(({ families }) => families),
    workloadInfoFamily,
    ...detailGroups.flatMap(({ families }) => families),
    ...nodeStateGroups.flatMap(({ families }) => families),
    ...selfFamilies.map((family) => ({ ...family, level: 'exporter' as const })),
  ];
}
