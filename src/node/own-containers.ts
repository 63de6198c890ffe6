import { finderByName } from '../base/names.js';
import type { Pod } from '../kube/objects.js';
import { othersName } from '../kube/pod-detail.js';
import type { ContainerSummary, PodSummary } from '../kubelet/summary.js';

export interface OwnContainers {
  /** Those that are not in detail have the name `(others)`, and come last. */
  readonly containers: readonly ContainerSummary[];
  /** How many have that name, in the summary already or here. */
  readonly othersCount: number;
}

/**
 * Returns the containers that hold a pod's bytes. Kubelets that take their figures from the container runtime list a pod
 * without containers while none runs, as in CrashLoopBackOff, with the bytes of its volumes: the containers of its spec
 * hold them.
 */
export function ownContainers({ containers, others }: PodSummary, pod: Pod | undefined): OwnContainers {
  const summedCount = others?.containerCount ?? 0;
  if (containers.length === 0 && pod !== undefined) return containersOfSpec(pod);
  if (pod?.rest === undefined) return { containers, othersCount: summedCount };
  const find = finderByName(pod.containers);
  const more = containers.filter(({ name }) => find(name) === undefined);
  const names = new Set(more.map(({ name }) => name));
  names.delete(othersName);
  return {
    containers: [
      ...containers.filter(({ name }) => find(name) !== undefined),
      ...more.map((container) => ({ ...container, name: othersName })),
    ],
    othersCount: summedCount + names.size,
  };
}

function containersOfSpec({ containers, rest }: Pod): OwnContainers {
  const lasting = containers.filter(({ kind }) => kind === 'app' || kind === 'sidecar');
  const othersCount = rest?.lastingContainerCount ?? 0;
  const names = [...lasting.map(({ name }) => name), ...(othersCount > 0 ? [othersName] : [])];
  return { containers: names.map((name) => ({ name, rootfs: undefined, logs: undefined })), othersCount };
}
