/**
 * A series must not appear twice in an exposition: of pods, containers and volumes with the same name only the first has
 * series. What has no repeats stays the same object.
 */
import { haveDistinctNames, type Named } from '../base/names.js';
import type { BoundPod, ListedPod } from '../node/node-state.js';
import { withUsage } from '../node/summary-pod.js';
import { workloadKey } from '../workload/workload.js';

interface NamedPod extends Named {
  readonly namespace: string;
}

export function distinctPods<T>(pods: readonly T[], nameOf: (pod: T) => NamedPod): readonly T[] {
  const names = new Set<string>();
  for (const pod of pods) names.add(nameOf(pod).name);
  if (names.size === pods.length) return pods; // cheaper than a key for each, and the rule
  return distinct(pods, (pod) => {
    const { namespace, name } = nameOf(pod);
    return `${namespace}/${name}`; // neither has a slash
  });
}

/** One without a total has no series of containers and volumes. */
export function listedPodWithoutRepeats(pod: ListedPod): ListedPod {
  const { pod: object, usage } = pod;
  if (usage === undefined) return pod;
  const containers = distinctByName(usage.containers);
  const volumes = distinctByName(usage.volumes);
  const specs = object && distinctByName(object.containers);
  if (containers === usage.containers && volumes === usage.volumes && specs === object?.containers) return pod;
  const known = withUsage(pod, { ...usage, containers, volumes });
  return object === undefined ? known : { ...known, pod: { ...object, containers: specs ?? [] } };
}

/** Names of containers and volumes are unique where the API server has checked them; recorded objects are not checked. */
export function boundPodWithoutRepeats(bound: BoundPod): BoundPod {
  const containers = distinctByName(bound.pod.containers);
  const volumes = distinctByName(bound.pod.volumes);
  const workloads = bound.workloads.length < 2 ? bound.workloads : distinct(bound.workloads, workloadKey);
  const isSame = containers === bound.pod.containers && volumes === bound.pod.volumes && workloads === bound.workloads;
  return isSame ? bound : { ...bound, pod: { ...bound.pod, containers, volumes }, workloads };
}

function distinctByName<T extends Named>(items: readonly T[]): readonly T[] {
  return haveDistinctNames(items) ? items : distinct(items, ({ name }) => name);
}

/** The same array without repeats. */
function distinct<T>(items: readonly T[], keyOf: (item: T) => string): readonly T[] {
  const seen = new Set<string>();
  const first = items.filter((item) => {
    const sizeBefore = seen.size;
    return seen.add(keyOf(item)).size > sizeBefore;
  });
  return first.length === items.length ? items : first;
}
