import { finderByName, type Named } from '../base/names.js';
import type { Pod } from '../kube/objects.js';
import { othersName } from '../kube/pod-detail.js';
import { volumeGroupsOf } from '../kube/volume-groups.js';
import type { Share } from './shares.js';

/**
 * Returns what finds those that mount a volume, in the order of `all`; all of them when none does.
 * @param all what a pod's bytes are shared among, in the order of their names
 */
export function sharersOfVolumes<T extends Named>(
  all: readonly Share<T>[],
  pod: Pod | undefined,
): (volumeName: string) => readonly Share<T>[] {
  const mounting = pod?.rest === undefined ? mountingOf(all, pod) : mountingOfLarge(all, { ...pod, rest: pod.rest });
  return (volumeName) => mounting.get(volumeName) ?? all;
}

function mountingOf<T extends Named>(
  all: readonly Share<T>[],
  pod: Pod | undefined,
): ReadonlyMap<string, readonly Share<T>[]> {
  const mounting = new Map<string, Share<T>[]>();
  const findSpec = finderByName(pod?.containers ?? []);
  for (const share of all) {
    const volumeNames = new Set(findSpec(share.receiver.name)?.mounts.map(({ volumeName }) => volumeName));
    for (const name of volumeNames) {
      const known = mounting.get(name);
      if (known === undefined) mounting.set(name, [share]);
      else known.push(share);
    }
  }
  return mounting;
}

/** The mounts of containers that are not in detail are those of `(others)`, and not all of a pod's mounts are kept. */
function mountingOfLarge<T extends Named>(
  all: readonly Share<T>[],
  { containers, rest }: Pick<Pod, 'containers'> & { readonly rest: NonNullable<Pod['rest']> },
): ReadonlyMap<string, readonly Share<T>[]> {
  const mounting = new Map<string, readonly Share<T>[]>();
  for (const { mountedBy, othersCount, names } of volumeGroupsOf(rest)) {
    const mounters = new Set(mountedBy.map((position) => containers[position]?.name));
    const shares = all.flatMap((share): readonly Share<T>[] => {
      const { receiver, count } = share;
      if (receiver.name !== othersName) return mounters.has(receiver.name) ? [share] : [];
      // Not all of them run.
      return othersCount === 0 ? [] : [{ receiver, count: Math.min(count, othersCount) }];
    });
    if (shares.length > 0) for (const name of names) mounting.set(name, shares);
  }
  return mounting;
}
