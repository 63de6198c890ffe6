import { type JsonObject, objectOf, objectsOf, textOf } from '../../lib/json/json.js';
import type { Intern } from './dedupe.js';
import type { Container, Mount, Pod } from './objects.js';
import { maxCheckedCount, maxDetailCount, maxMountCount, maxMountPathLength } from './pod-bounds.js';
import { declaredAmounts } from './pod-rest.js';
import { listContainers, type ListedContainer, VolumeList } from './pod-volumes.js';
import { type Amount, parseAmount } from './quantity.js';

/** A pod of ten thousand volumes is read whole, and a hundred of them are kept. `labelCount`: labels that are not kept. */
export function projectSpec(
  spec: JsonObject,
  labelCount: number,
  intern: Intern,
): Pick<Pod, 'containers' | 'volumes' | 'rest'> {
  const listed = listContainers(spec);
  const volumes = new VolumeList(spec['volumes'], listed);
  const mounts = new MountList(volumes.storageNames, intern);
  const containers = listed.map((container, index) => projectContainer(container, index, { mounts, intern }));
  const first = volumes.first(intern);
  const isWhole =
    containers.length <= maxDetailCount && volumes.count <= maxDetailCount && labelCount + mounts.skippedCount === 0;
  if (isWhole) return { containers, volumes: first, rest: undefined };
  const moreContainers = containers.slice(maxDetailCount);
  const moreVolumes = volumes.rest();
  const hasLimits = moreVolumes.hasLimits || containers.some(({ limitBytes }) => limitBytes !== undefined);
  return {
    containers: containers.slice(0, maxDetailCount),
    volumes: first,
    rest: {
      containerCount: moreContainers.length,
      lastingContainerCount: moreContainers.filter(({ kind }) => kind === 'app' || kind === 'sidecar').length,
      mountCount: mounts.skippedCount,
      labelCount,
      declared: declaredAmounts(containers),
      containers: moreContainers
        .filter(({ kind, limitBytes }) => kind !== 'ephemeral' && limitBytes !== undefined)
        .slice(0, maxCheckedCount),
      ...moreVolumes,
      hasLimits,
    },
  };
}

/** Names and mounts only of the first ones go through `intern`, which would forget others for them. */
function projectContainer(
  { container, kind }: ListedContainer,
  index: number,
  { mounts, intern }: { readonly mounts: MountList; readonly intern: Intern },
): Container {
  const { limits, requests } = objectOf(container['resources']);
  const name = textOf(container['name']) ?? '';
  const isDetailed = index < maxDetailCount;
  return {
    name: isDetailed ? intern(name) : name,
    kind,
    mounts: isDetailed ? mounts.of(container['volumeMounts']) : [],
    limitBytes: storageAmount(limits),
    requestBytes: storageAmount(requests),
  };
}

/** The mounts of a pod's containers, up to the bounds of a pod. */
class MountList {
  readonly #storageNames: ReadonlySet<string>;
  readonly #intern: Intern;
  #count = 0;
  #pathLength = 0;
  skippedCount = 0;

  constructor(storageNames: ReadonlySet<string>, intern: Intern) {
    this.#storageNames = storageNames;
    this.#intern = intern;
  }

  /** The mounts of the next container. */
  of(volumeMounts: unknown): Mount[] {
    const mounts = new Map<string, Mount>();
    for (const { name, mountPath } of objectsOf(volumeMounts)) {
      const volumeName = textOf(name);
      if (volumeName === undefined || !this.#storageNames.has(volumeName)) continue;
      const path = textOf(mountPath) ?? '';
      const key = `${volumeName}/${path}`;
      if (mounts.has(key)) continue;
      if (this.#count >= maxMountCount || this.#pathLength + path.length > maxMountPathLength) {
        this.skippedCount += 1;
        continue;
      }
      this.#count += 1;
      this.#pathLength += path.length;
      mounts.set(key, { volumeName: this.#intern(volumeName), path: this.#intern(path) });
    }
    return [...mounts.values()];
  }
}

/** The amount of ephemeral storage in a list of resources; undefined when it has none. A negative one, which the API server refuses, is none. */
export function storageAmount(resources: unknown): Amount | undefined {
  const quantity = objectOf(resources)['ephemeral-storage'];
  // The API server writes text; manifests may have a number.
  const text = typeof quantity === 'number' ? String(quantity) : textOf(quantity);
  const amount = text === undefined ? undefined : parseAmount(text);
  return typeof amount === 'number' && amount < 0 ? undefined : amount;
}
