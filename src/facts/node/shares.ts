import type { Pod } from '../../cluster/kube/objects.js';
import { othersName } from '../../cluster/kube/pod-bounds.js';
import { volumeGroupsOf } from '../../cluster/kube/pod-rest.js';
import { finderByName, type Named } from '../../lib/base/maps.js';

/** A part in an amount that is shared. */
export interface Share<T> {
  readonly receiver: T;
  /** How many the receiver stands for, each with the same part: 1 as a rule. */
  readonly count: number;
}

/**
 * Adds `bytes` to the receivers, split evenly. Whole bytes: what does not divide goes to the first receivers, one byte
 * for each that they stand for. A negative amount is the mirror image: the first receivers lose one byte more. Exact for
 * amounts up to 2^53 in size. Without receivers nothing is added.
 */
export function addShares(shares: readonly Share<{ usedBytes: number }>[], bytes: number): void {
  let count = 0;
  for (const share of shares) count += share.count;
  const remainder = bytes % count;
  const each = (bytes - remainder) / count;
  let extraCount = Math.abs(remainder);
  for (const { receiver, count: ownCount } of shares) {
    const ownExtra = Math.min(ownCount, extraCount);
    extraCount -= ownExtra;
    receiver.usedBytes += each * ownCount + Math.sign(remainder) * ownExtra;
  }
}

/**
 * Returns what finds those that mount a volume, `(others)` first and then in the order of `all`; all of them when none does.
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
    for (const { volumeName } of findSpec(share.receiver.name)?.mounts ?? []) {
      const sharers = mounting.get(volumeName);
      if (sharers === undefined) mounting.set(volumeName, [share]);
      else if (sharers.at(-1) !== share) sharers.push(share); // mounted several times
    }
  }
  return mounting;
}

/** The mounts of containers that are not in detail are those of `(others)`, and not all of a pod's mounts are kept. */
function mountingOfLarge<T extends Named>(
  all: readonly Share<T>[],
  { containers, rest }: Pick<Pod, 'containers'> & { readonly rest: NonNullable<Pod['rest']> },
): ReadonlyMap<string, readonly Share<T>[]> {
  const indexes = new Map(all.map(({ receiver }, index) => [receiver.name, index]));
  const indexAt = containers.map(({ name }) => indexes.get(name));
  const others = all.find(({ receiver }) => receiver.name === othersName);
  const mounting = new Map<string, readonly Share<T>[]>();
  for (const { mountedBy, othersCount, names } of volumeGroupsOf(rest)) {
    const mounters = mountedBy.flatMap((position) => indexAt[position] ?? []).sort((a, b) => a - b);
    const shares = [...sharesOfOthers(others, othersCount), ...mounters.flatMap((index) => all[index] ?? [])];
    if (shares.length > 0) for (const name of names) mounting.set(name, shares);
  }
  return mounting;
}

/** Not all containers that mount a volume run. */
function sharesOfOthers<T>(others: Share<T> | undefined, mountingCount: number): readonly Share<T>[] {
  if (others === undefined || mountingCount === 0) return [];
  return [{ receiver: others.receiver, count: Math.min(others.count, mountingCount) }];
}
