/** THE table of metric families: its parts say name, help, labels, and how each value comes from the data of a scrape. */
import type { NodeSnapshot } from '../scrape/snapshot.js';
import { compatibilityGroups } from './compatibility-families.js';
import type { FamilyGroup, FamilyRow } from './family.js';
import { nodeGroups, nodeStateGroups } from './node-families.js';
import { containerGroups, podGroups, sharedContainerGroups, volumeGroups } from './pod-families.js';
import { workloadFamilies } from './workload-families.js';

/** The exporter whose families are served beside our own. */
export type Compatibility = 'none' | 'k8s-ephemeral-storage-metrics';

export type DetailGroups = readonly FamilyGroup<NodeSnapshot>[];

/** What one node's summary gives. Nothing here may depend on the time of the scrape: the text is kept. */
export const detailGroups: Readonly<Record<Compatibility, DetailGroups>> = {
  none: [...podGroups, ...containerGroups, ...volumeGroups, ...nodeGroups],
  'k8s-ephemeral-storage-metrics': [
    ...podGroups,
    ...sharedContainerGroups,
    ...volumeGroups,
    ...nodeGroups,
    ...compatibilityGroups,
  ],
};

/** All families, in the order of the exposition; `selfFamilies` are those about the exporter itself. */
export function familyTable(
  selfFamilies: readonly Omit<FamilyRow, 'level'>[],
  compatibility: Compatibility = 'none',
): readonly FamilyRow[] {
  return [
    ...workloadFamilies,
    ...detailGroups[compatibility].flatMap(({ families }) => families),
    ...nodeStateGroups.flatMap(({ families }) => families),
    ...selfFamilies.map((family) => ({ ...family, level: 'exporter' as const })),
  ];
}
