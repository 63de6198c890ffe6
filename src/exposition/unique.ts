import type { NodeSnapshot, PodSnapshot } from '../scrape/snapshot.js';
import { workloadKey } from '../workload/workload.js';

/**
 * The snapshot with only the first of pods, containers, volumes and workloads with the same name: a series must not
 * appear twice in an exposition. One pass here is far cheaper than remembering the labels of each sample.
 */
export function withoutRepeats(snapshot: NodeSnapshot): NodeSnapshot {
  // Neither namespaces nor names of pods have a slash.
  const pods = distinct(snapshot.pods, ({ namespace, name }) => `${namespace}/${name}`);
  return { ...snapshot, pods: pods.map(podWithoutRepeats) };
}

function podWithoutRepeats(pod: PodSnapshot): PodSnapshot {
  const { pod: object, usage, workloads } = pod;
  const containers = distinct(usage.containers, nameOf);
  const volumes = distinct(usage.volumes, nameOf);
  return {
    ...pod,
    pod: object && { ...object, containers: distinct(object.containers, nameOf) },
    usage: { ...usage, containers, volumes },
    workloads: distinct(workloads, workloadKey),
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
