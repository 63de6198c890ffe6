/** THE table of metric families: name, help, labels, profile, and how each value is read from the data of a scrape. */
import type { NodeSnapshot } from '../../facts/node/node-view.js';
import { compilePattern } from '../../lib/base/pattern.js';
import { agentGroups } from './agent-families.js';
import { compatibilityNodeGroups, compatibilityPodGroups } from './compatibility-families.js';
import {
  evictedPodGroups,
  evictionRankGroups,
  nodeEvictionGroups,
  workloadEvictionGroups,
} from './eviction-families.js';
import type { FamilyRow } from './family.js';
import type { Compatibility } from './family.js';
import { perPart, perSource, type SourceGroup } from './family.js';
import { nodeForecastGroups, nodeForecasts, podForecastGroups, podForecasts } from './forecast-families.js';
import { nodeGroups } from './node-families.js';
import { isSameState, nodeStateGroups, shownStates } from './node-state-families.js';
import { objectGroups } from './object-families.js';
import { containerGroups, podGroups, sharedContainerGroups, volumeGroups } from './pod-families.js';
import type { PodOnNode } from './pod-on-node.js';
import type { FamilyRules } from './selection.js';
import { type PagedFamilies, pagedFamilies, pagesOf, stablePages } from './stable-pages.js';
import { workloadGroups, workloadPager } from './workload-families.js';

export const familiesBeforeNodes: readonly PagedFamilies[] = [
  pagedFamilies(workloadGroups, workloadPager),
  pagedFamilies(workloadEvictionGroups, () => stablePages(({ evictions }) => evictions.workloads)),
];

/** Their text is made after that of the nodes, which shows where data of a node is faulty. */
export const familiesAfterNodes: readonly PagedFamilies[] = [
  pagedFamilies(evictedPodGroups, () => ({ evictions }) => [evictions.records]),
  pagedFamilies(nodeStateGroups, () => stablePages(shownStates, isSameState)),
  pagedFamilies(nodeEvictionGroups, () => stablePages(({ evictions }) => evictions.nodes)),
  pagedFamilies(podForecastGroups, podForecasts),
  pagedFamilies(nodeForecastGroups, nodeForecasts),
  pagedFamilies(
    agentGroups,
    () =>
      ({ agent }) =>
        pagesOf(agent?.pods ?? []),
  ),
];

/** The families of one node's summary. Nothing here may depend on the time of the scrape: the text is kept. */
export function detailGroups({
  compatibility,
  profile,
}: Pick<FamilyRules, 'profile'> & {
  readonly compatibility: Compatibility;
}): readonly SourceGroup<NodeSnapshot, PodOnNode>[] {
  const isCompatible = compatibility === 'k8s-ephemeral-storage-metrics';
  return [
    ...perPart(podGroups),
    ...perSource(evictionRankGroups),
    ...perPart(isCompatible ? sharedContainerGroups : containerGroups),
    ...perPart(volumeGroups(profile)),
    ...perSource(nodeGroups),
    ...(isCompatible ? [...perPart(compatibilityPodGroups), ...perSource(compatibilityNodeGroups)] : []),
  ];
}

/**
 * The patterns of `metrics.allow` and `metrics.deny` that match no family: a typing error drops everything, or nothing.
 * Each as `metrics.allow[0] "pattern"`.
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
      const isUsed = names.some((name) => pattern.test(name));
      return isUsed ? [] : [`metrics.${setting}[${index}] ${JSON.stringify(source)}`];
    }),
  );
}

/** All families, in the order of the exposition; `selfFamilies` are those about the exporter itself. */
export function familyTable(
  selfFamilies: readonly Omit<FamilyRow, 'level'>[],
  compatibility: Compatibility = 'none',
): readonly FamilyRow[] {
  return [
    ...familiesBeforeNodes.flatMap(({ families }) => families),
    ...detailGroups({ compatibility, profile: 'full' }).flatMap(({ group }) => group.families),
    ...objectGroups({ nodeLabels: [] }).flatMap(({ group }) => group.families),
    ...familiesAfterNodes.flatMap(({ families }) => families),
    ...selfFamilies.map((family) => ({ ...family, level: 'exporter' as const })),
  ];
}
