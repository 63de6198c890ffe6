import { getOrAdd } from '../../lib/base/maps.js';
import { byName, divided } from '../../lib/base/ranking.js';
import { isObject, type JsonObject, objectOf, objectsOf, textOf } from '../../lib/json/json.js';
import type { Intern } from './dedupe.js';
import type { ContainerKind, PodRest, Volume, VolumeGroup, VolumeType } from './objects.js';
import { maxCheckedCount, maxDetailCount, maxListedCount } from './pod-bounds.js';
import { type Amount, parseAmount, roundUp } from './quantity.js';

const typeOfSource: ReadonlyMap<string, VolumeType> = new Map([
  ['emptyDir', 'emptydir'],
  ['configMap', 'configmap'],
  ['gitRepo', 'gitrepo'],
  ['secret', 'secret'],
  ['projected', 'projected'],
  ['downwardAPI', 'downwardapi'],
  ['hostPath', 'hostpath'],
  ['persistentVolumeClaim', 'pvc'],
  ['ephemeral', 'ephemeral'],
  ['csi', 'csi'],
  ['nfs', 'nfs'],
  ['image', 'image'],
]);

function typeOf(volume: JsonObject): VolumeType {
  const source = Object.keys(volume).find((key) => typeOfSource.has(key) && isObject(volume[key])) ?? '';
  return typeOfSource.get(source) ?? 'unknown';
}

const storageTypes: ReadonlySet<VolumeType> = new Set(['emptydir', 'configmap']);

export interface ListedContainer {
  readonly container: JsonObject;
  readonly kind: ContainerKind;
}

/** Returns the containers of a spec in the order of {@link Pod.containers}. */
export function listContainers({
  initContainers,
  containers,
  ephemeralContainers,
}: JsonObject): readonly ListedContainer[] {
  const list = (value: unknown, kindOf: (container: JsonObject) => ContainerKind): readonly ListedContainer[] =>
    objectsOf(value).map((container) => ({ container, kind: kindOf(container) }));
  return [
    ...list(initContainers, ({ restartPolicy }) => (restartPolicy === 'Always' ? 'sidecar' : 'init')),
    ...list(containers, () => 'app'),
    ...list(ephemeralContainers, () => 'ephemeral'),
  ];
}

/** The volumes of a spec. */
export class VolumeList {
  readonly #volumes: readonly JsonObject[];
  readonly #containers: readonly ListedContainer[];
  /** Names of raw block devices. */
  readonly #devices: ReadonlySet<unknown>;
  /** Of all types. */
  readonly #mounted: ReadonlySet<unknown>;
  /** Of emptyDirs and configMaps: the kubelet lists those that a container mounts. */
  readonly storageNames: ReadonlySet<string>;

  constructor(volumes: unknown, containers: readonly ListedContainer[]) {
    const namesIn = (list: string): ReadonlySet<unknown> =>
      new Set(containers.flatMap(({ container }) => objectsOf(container[list]).map(({ name }) => name)));
    this.#volumes = objectsOf(volumes);
    this.#containers = containers;
    this.#devices = namesIn('volumeDevices');
    this.#mounted = namesIn('volumeMounts');
    const storage = this.#volumes.filter((volume) => storageTypes.has(typeOf(volume)));
    this.storageNames = new Set(storage.map(({ name }) => textOf(name) ?? ''));
  }

  get count(): number {
    return this.#volumes.length;
  }

  /** Those that are kept in detail. */
  first(intern: Intern): readonly Volume[] {
    return this.#volumes.slice(0, maxDetailCount).map((volume) => this.#project(volume, intern));
  }

  /** What is kept of the others. */
  rest(): Pick<PodRest, 'volumeCount' | 'hasLimits' | 'volumes' | 'volumeGroups' | 'unmountedVolumeCount'> {
    const more = this.#volumes.slice(maxDetailCount);
    const isMounted = (volume: JsonObject): boolean => this.#mounted.has(volume['name']);
    const limited = more.filter((volume) => hasSizeLimit(volume) && isMounted(volume)).slice(0, maxCheckedCount);
    const mounted = this.#volumes.slice(0, maxDetailCount).filter(isMounted);
    return {
      volumeCount: more.length,
      hasLimits: this.#volumes.some(hasSizeLimit),
      // Names that only this pod has would displace others from `intern`.
      volumes: limited.map((volume) => this.#project(volume, (text) => text)),
      volumeGroups: groupVolumes(
        {
          detailed: mounted.flatMap(groupedVolume).filter(({ type }) => type !== 'hostpath'),
          others: more
            .filter((volume) => isOnDisk(volume) && (isMounted(volume) || typeOf(volume) === 'hostpath'))
            .flatMap(groupedVolume),
        },
        this.#containers,
      ),
      unmountedVolumeCount: more.filter((volume) => wouldCount(volume) && !isMounted(volume)).length,
    };
  }

  #project(volume: JsonObject, intern: Intern): Volume {
    const type = typeOf(volume);
    const { medium, sizeLimit } = objectOf(volume['emptyDir']);
    const name = textOf(volume['name']) ?? '';
    return {
      name: hasOwnName(type) ? name : intern(name),
      type,
      medium: intern((type === 'emptydir' ? textOf(medium) : undefined) ?? ''),
      sizeLimitBytes: type === 'emptydir' ? aboveZero(parseAmount(textOf(sizeLimit) ?? '')) : undefined,
      isRawBlock: this.#devices.has(volume['name']),
    };
  }
}

/** None of a type that cannot be in a group. */
function groupedVolume(volume: JsonObject): readonly GroupedVolume[] {
  const type = typeOf(volume);
  const name = textOf(volume['name']) ?? '';
  return type === 'emptydir' || type === 'configmap' || type === 'hostpath' ? [{ name, type }] : [];
}

/** Whether a mount would make it part of the pod's total, or its size limit a rule. */
function wouldCount(volume: JsonObject): boolean {
  const type = typeOf(volume);
  return type === 'configmap' || (type === 'emptydir' && (isOnDisk(volume) || hasSizeLimit(volume)));
}

/** Whether it has no `medium`. */
function isOnDisk(volume: JsonObject): boolean {
  return textOf(objectOf(volume['emptyDir'])['medium']) === undefined;
}

/** Without parsing it: the API server writes each zero as `0`. */
function hasSizeLimit(volume: JsonObject): boolean {
  const sizeLimit = textOf(objectOf(volume['emptyDir'])['sizeLimit']);
  return sizeLimit !== undefined && sizeLimit !== '0';
}

/** The volume with the token of a service account, which almost every pod has, is named at random. */
export function hasOwnName(type: VolumeType): boolean {
  return type === 'projected';
}

/** The kubelet takes a limit of zero for none. */
function aboveZero(bytes: Amount | undefined): Amount | undefined {
  return bytes !== undefined && roundUp(bytes) > 0 ? bytes : undefined;
}

interface GroupedVolume {
  readonly name: string;
  readonly type: VolumeGroup['type'];
}

/**
 * Returns the value of {@link PodRest.volumeGroups} for the volumes in detail, and of the others for the first by name, as
 * many as a summary lists one by one: a hostPath only in the place of no other. `containers`: those of the pod.
 */
function groupVolumes(
  { detailed, others }: { readonly detailed: readonly GroupedVolume[]; readonly others: readonly GroupedVolume[] },
  containers: readonly ListedContainer[],
): string {
  const counted = firstByName(others.filter(({ type }) => type !== 'hostpath'));
  const hostPaths = firstByName(others.filter(({ type }) => type === 'hostpath'));
  const kept = [...detailed, ...[...counted, ...hostPaths].slice(0, maxListedCount)];
  const mounters = mountersOf(new Set(kept.map(({ name }) => name)), containers);
  const groups = new Map<string, VolumeGroup & { readonly names: string[] }>();
  for (const { name, type } of kept) {
    const { mountedBy, othersCount } = mounters.get(name) ?? { mountedBy: [], othersCount: 0 };
    const key = `${type}/${mountedBy.join()}/${othersCount}`;
    getOrAdd(groups, key, () => ({ type, mountedBy, othersCount, names: [] as string[] })).names.push(name);
  }
  return JSON.stringify([...groups.values()]);
}

function firstByName(volumes: readonly GroupedVolume[]): readonly GroupedVolume[] {
  return divided(volumes, maxListedCount, byVolumeName).first;
}

const byVolumeName = byName<GroupedVolume>(({ name }) => name);

/** By the name of the volume. An init container that is not in detail has ended before the others begin. */
function mountersOf(
  volumeNames: ReadonlySet<unknown>,
  containers: readonly ListedContainer[],
): ReadonlyMap<unknown, { readonly mountedBy: readonly number[]; readonly othersCount: number }> {
  const mounters = new Map<unknown, { readonly mountedBy: number[]; othersCount: number }>();
  for (const [position, { container, kind }] of containers.entries()) {
    for (const name of new Set(objectsOf(container['volumeMounts']).map(({ name }) => name))) {
      if (!volumeNames.has(name)) continue;
      const known = getOrAdd(mounters, name, () => ({ mountedBy: [], othersCount: 0 }));
      if (position < maxDetailCount) known.mountedBy.push(position);
      else if (kind !== 'init') known.othersCount += 1;
    }
  }
  return mounters;
}
