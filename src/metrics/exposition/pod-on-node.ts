/**
 * How the sources of a node are divided into pods, each with what its series have from the node. What has neither repeats nor
 * nameless pods stays the same object.
 */
import type { FsStats } from '../../cluster/kubelet/summary.js';
import type { NodeObjects, NodeSnapshot } from '../../facts/node/node-view.js';
import {
  type BoundPod,
  type DerivedPod,
  deriveMeasured,
  derivePod,
  type PodRecord,
} from '../../facts/node/pod-record.js';
import { unnamedContainer, unnamedVolume } from '../../facts/node/unknown-items.js';
import { type Component, components, type MeasuredUsage, type PodUsage } from '../../facts/node/usage.js';
import { workloadKey } from '../../facts/workload/workload.js';
import { addKnown, addWhole, distinct, haveDistinctNames, type Named } from '../../lib/base/maps.js';
import type { Compatibility } from './family.js';
import type { Division } from './incremental-text.js';
import { escapeLabelValue } from './render.js';

type PodName = Pick<PodRecord['summary'], 'namespace' | 'name'>;

/** With the text of the labels that all series of a pod share, made once; without the closing brace. */
export interface PlacedPod<Pod> {
  readonly nodeName: string;
  readonly pod: Pod;
  /** Namespace and pod. */
  readonly named: string;
  /** The same and the node. */
  readonly placed: string;
}

/** What series show of a pod of a node's summary. */
export type ShownPod = Pick<DerivedPod, 'summary' | 'bound' | 'unenforced' | 'usage' | 'ratios'>;

export interface PodOnNode extends PlacedPod<ShownPod> {
  readonly nodefs: FsStats | undefined;
}

/** Pods of a node without names, which are one pod in the text. */
interface NamelessPods {
  readonly nameless: readonly PodRecord[];
}

/** Far above what pods have in any profile: the author of a pod could give it a million. */
const maxSeriesCounts = { measured: 650, declared: 350 };

/** The same pod has other series where families show values of the node's filesystem beside it. */
export function nodeDivision({
  compatibility,
  showsSizesAlone,
}: {
  readonly compatibility: Compatibility;
  /** Whether the series of pods show nothing of a summary but bytes used: no times, inodes or filesystems. */
  readonly showsSizesAlone: boolean;
}): Division<NodeSnapshot, PodRecord | NamelessPods, PodOnNode> {
  const shown: readonly (keyof FsStats)[] =
    compatibility === 'none' ? ['capacityBytes'] : ['capacityBytes', 'availableBytes', 'inodes', 'inodesFree'];
  return {
    maxSeriesCount: maxSeriesCounts.measured,
    sizeOf: (item) => ('nameless' in item ? components.length + 2 : measuredSize(item)),
    keyOf: (item) => (showsSizesAlone && !('nameless' in item) ? item.containers : item),
    /** Each once, and those that have no total last: of the API server alone, since of the others several may have one name. */
    items: ({ pods, podsWithoutTotal }) => {
      const distinctOnes = distinctPods(withNamelessAsOne(pods), (item) =>
        'nameless' in item ? noName : item.summary,
      );
      const known = podsWithoutTotal.filter(({ bound }) => bound !== undefined);
      return known.length === 0 ? distinctOnes : [...distinctOnes, ...known];
    },
    partOf: ({ nodeName, summary: { nodefs }, context }, derived) => {
      const labelsOf = podLabels(nodeName);
      return (item) => {
        const pod =
          'nameless' in item
            ? together(item.nameless.map((each) => deriveMeasured(each, context, derived).usage))
            : derivedWithoutRepeats(derivePod(item, context, derived));
        return { nodeName, nodefs, pod, ...labelsOf(pod.summary) };
      };
    },
    isSameFor: (former, { nodeName, summary: { nodefs } }) =>
      former.nodeName === nodeName && shown.every((field) => former.summary.nodefs?.[field] === nodefs?.[field]),
  };
}

/** Limits are of the pod, or of containers and volumes that are counted here. */
function measuredSize({ summary, bound, containers }: PodRecord): number {
  const specs = bound?.pod.containers ?? [];
  const mountCount = specs.reduce((sum, { mounts }) => sum + mounts.length, 0);
  return components.length + containers.length + (summary.volumes?.length ?? 0) + specs.length + mountCount;
}

export const objectDivision: Division<NodeObjects, BoundPod, PlacedPod<BoundPod>> = {
  maxSeriesCount: maxSeriesCounts.declared,
  sizeOf: ({ pod: { containers, volumes }, workloads }) => 1 + containers.length + volumes.length + workloads.length,
  keyOf: (bound) => bound,
  items: ({ pods }) => distinctPods(pods, ({ pod }) => pod),
  partOf: ({ nodeName }) => {
    const labelsOf = podLabels(nodeName);
    return (bound) => ({ nodeName, pod: boundPodWithoutRepeats(bound), ...labelsOf(bound.pod) });
  },
  isSameFor: (former, { nodeName }) => former.nodeName === nodeName,
};

function podLabels(nodeName: string): (pod: PodName) => Pick<PodOnNode, 'named' | 'placed'> {
  const ofNode = `,node="${escapeLabelValue(nodeName)}"`;
  return (pod) => {
    const named = `{namespace="${escapeLabelValue(pod.namespace)}",pod="${escapeLabelValue(pod.name)}"`;
    return { named, placed: `${named}${ofNode}` };
  };
}

/** A series must not appear twice in an exposition: of pods with the same name only the first has series. */
function distinctPods<T>(pods: readonly T[], nameOf: (pod: T) => PodName): readonly T[] {
  const names = new Set<string>();
  for (const pod of pods) names.add(nameOf(pod).name);
  if (names.size === pods.length) return pods; // cheaper than a key for each, and the rule
  return distinct(pods, (pod) => {
    const { namespace, name } = nameOf(pod);
    return `${namespace}/${name}`; // neither has a slash
  });
}

/** Of containers and volumes with the same name, too. */
function derivedWithoutRepeats(pod: ShownPod): ShownPod {
  const { bound, usage } = pod;
  const containers = distinctByName(usage.containers);
  const volumes = distinctByName(usage.volumes);
  const specs = bound && distinctByName(bound.pod.containers);
  if (containers === usage.containers && volumes === usage.volumes && specs === bound?.pod.containers) return pod;
  const known = { ...pod, usage: { ...usage, containers, volumes } };
  return bound === undefined
    ? known
    : { ...known, bound: { ...bound, pod: { ...bound.pod, containers: specs ?? [] } } };
}

/** Names of containers and volumes are unique where the API server has checked them; recorded objects are not checked. */
function boundPodWithoutRepeats(bound: BoundPod): BoundPod {
  const containers = distinctByName(bound.pod.containers);
  const volumes = distinctByName(bound.pod.volumes);
  const workloads = bound.workloads.length < 2 ? bound.workloads : distinct(bound.workloads, workloadKey);
  const isSame = containers === bound.pod.containers && volumes === bound.pod.volumes && workloads === bound.workloads;
  return isSame ? bound : { ...bound, pod: { ...bound.pod, containers, volumes }, workloads };
}

function distinctByName<T extends Named>(items: readonly T[]): readonly T[] {
  return haveDistinctNames(items) ? items : distinct(items, ({ name }) => name);
}

const noName: PodName = { namespace: '', name: '' };

/** Makes nameless pods one, without namespace and name, so that sums over a node stay right. */
function withNamelessAsOne(pods: readonly PodRecord[]): readonly (PodRecord | NamelessPods)[] {
  const nameless = pods.filter(({ isNameless }) => isNameless);
  return nameless.length === 0 ? pods : [...pods.filter(({ isNameless }) => !isNameless), { nameless }];
}

function together(usages: readonly MeasuredUsage[]): ShownPod {
  const usage = sumOf(usages);
  const { usedBytes, inodesUsed } = usage;
  const unknown = { startTimeMs: undefined, ioPressure: undefined, volumes: undefined };
  return {
    summary: { ...noName, uid: '', usedBytes, inodesUsed, containers: [], ...unknown },
    bound: undefined,
    unenforced: undefined,
    usage,
    ratios: [],
  };
}

function sumOf(usages: readonly MeasuredUsage[]): PodUsage {
  const sums: Record<Component, number | undefined> = { rootfs: 0, logs: 0, emptydir: 0, configmap: 0, other: 0 };
  for (const usage of usages)
    for (const component of components) sums[component] = addWhole(sums[component], usage.components[component]);
  return {
    usedBytes: usages.reduce((sum, { usedBytes }) => sum + usedBytes, 0),
    inodesUsed: usages.map(({ inodesUsed }) => inodesUsed).reduce(addKnown, undefined),
    components: sums,
    containers: unnamedContainer(usages.flatMap(({ containers }) => containers)),
    volumes: unnamedVolume(usages.flatMap(({ volumes }) => volumes)),
    volumesPending: false,
  };
}
