/** THE table of metric families: its parts say name, help, labels, and how each value comes from the data of a scrape. */
import { compilePattern } from '../base/pattern.js';
import type { NodeSnapshot } from '../scrape/snapshot.js';
import { compatibilityGroups } from './compatibility-families.js';
import type { FamilyGroup, FamilyRow } from './family.js';
import { nodeGroups, nodeStateGroups } from './node-families.js';
import { containerGroups, podGroups, sharedContainerGroups, volumeGroups } from './pod-families.js';
import type { FamilyRules } from './selection.js';
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

/**
 * The expressions of `metrics.allow` and `metrics.deny` that take no family's name: a slip of the pen leaves out
 * everything, or nothing. Each as `metrics.allow[0] "expression"`.
 */
export function patternsWithoutFamily({
  allow,
  deny,
  compatibility,
}: Pick<FamilyRules, 'allow' | 'deny'> & { readonly compatibility: Compatibility }): readonly string[] {
  const names = familyTable([], compatibility).map(({ name }) => name);
  return Object.entries({ allow, deny }).flatMap(([setting, patterns]) =>
    patterns.flatMap((source, index) => {
      const pattern = compilePattern(source);
      return names.some((name) => pattern.matches(name))
        ? []
        : [`metrics.${setting}[${index}] ${JSON.stringify(source)}`];
    }),
  );
}

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
