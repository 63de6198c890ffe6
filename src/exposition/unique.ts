import type { NodeObjects, NodeSnapshot, PodSnapshot } from '../scrape/snapshot.js';
import { workloadKey } from '../workload/workload.js';

/**
 * The snapshot with only the first of pods, containers and volumes with the same name: a series must not
 * appear twice in an exposition. One pass here is far cheaper than remembering the labels of each sample.
 */
export function withoutRepeats(snapshot: NodeSnapshot): NodeSnapshot {
  // Neither namespaces nor names of pods have a slash.
  const pods = distinct(snapshot.pods, ({ namespace, name }) => `${namespace}/${name}`);
  return { ...snapshot, pods: pods.map(podWithoutRepeats) };
}

/** Names of containers and volumes are unique where the API server has checked them; recorded objects are not checked. */
export function objectsWithoutRepeats(objects: NodeObjects): NodeObjects {
  const pods = distinct(objects.pods, ({ pod }) => `${pod.namespace}/${pod.name}`);
  return {
    ...objects,
    pods: pods.map(({ pod, workloads, ...bound }) => ({
      ...bound,
      pod: { ...pod, containers: distinct(pod.containers, nameOf), volumes: distinct(pod.volumes, nameOf) },
      workloads: distinct(workloads, workloadKey),
    })),
  };
}

function podWithoutRepeats(pod: PodSnapshot): PodSnapshot {
  const { pod: object, usage } = pod;
  const containers = distinct(usage.containers, nameOf);
  const volumes = distinct(usage.volumes, nameOf);
  return {
    ...pod,
    pod: object && { ...object, containers: distinct(object.containers, nameOf) },
    usage: { ...usage, containers, volumes },
  };
}

function distinct<T>(items: readonly T[], keyOf: (item: T) => string): readonly T[] {
  const seen = new Set<string>();
  return items.filter((item) => {
    const sizeBefore = seen.size;
    return seen.add(keyOf(item)).size > sizeBefore;
  });
}

function nameOf({ name }: { readonly name: string }): string {
  return name;
}
