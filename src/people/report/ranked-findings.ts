import { type FindingKind, findingKinds } from '../../facts/node/pod-findings.js';
import { getOrAdd } from '../../lib/base/maps.js';
import { largestFirst, type Ranked, rankedOf } from '../../lib/base/ranking.js';
import { type FindingReport, findingReport, type FoundFinding } from './finding-report.js';

/** The findings of one kind, those of most pods first. `totalCount` counts the pods of one controller once. */
export interface FindingKindReport extends Ranked<RankedFindingReport> {
  readonly kind: FindingKind;
  /** In all pods. */
  readonly findingCount: number;
}

/** The first pod of its controller by name. */
export interface RankedFindingReport extends FindingReport {
  /** Pods of the controller that have the same. */
  readonly podCount: number;
}

/** The findings of all nodes, by kind. Those of each pod are added together. */
export class RankedFindings {
  readonly #count: number;
  readonly #groups = new Map<FindingKind, Map<string, FindingGroup>>();

  /** `count`: shown of each kind. */
  constructor(count: number) {
    this.#count = count;
  }

  add(findings: readonly FoundFinding[]): void {
    for (const found of findings) {
      const groups = getOrAdd(this.#groups, found.finding.kind, () => new Map<string, FindingGroup>());
      const group = getOrAdd(groups, groupKey(found), () => ({ first: found, podCount: 0 }));
      group.podCount += 1;
      if (found.pod.name < group.first.pod.name) group.first = found;
    }
  }

  /** Only kinds with findings, in the order of `findingKinds`. */
  kinds(): readonly FindingKindReport[] {
    return findingKinds.flatMap((kind) => {
      const groups = [...(this.#groups.get(kind)?.values() ?? [])];
      if (groups.length === 0) return [];
      const findingCount = groups.reduce((sum, { podCount }) => sum + podCount, 0);
      const reportOf = ({ first, podCount }: FindingGroup) => ({ ...findingReport(first), podCount });
      return [{ kind, findingCount, ...rankedOf(groups, this.#count, byPodCount, reportOf) }];
    });
  }
}

interface FindingGroup {
  first: FoundFinding;
  podCount: number;
}

const byPodCount = largestFirst<FindingGroup>(
  ({ podCount }) => podCount,
  ({ first: { pod } }) => [pod.namespace, pod.name],
);

/** Static pods of a node have it as their controller, and nothing in common. */
function groupKey({ pod, finding }: FoundFinding): string {
  const { namespace, name, controller, isStatic } = pod;
  const owner = controller === undefined || isStatic ? `Pod/${name}` : `${controller.kind}/${controller.name}`;
  const part = 'container' in finding ? finding.container : 'volume' in finding ? finding.volume : '';
  return `${namespace}/${owner}/${part}`;
}
