import { type JsonObject, objectOf, objectsOf, textOf, timeMsOf } from '../../../lib/json/json.js';

/** A mount of the whole of a volume. */
export interface VolumeMount {
  readonly volume: string;
  readonly path: string;
}

export interface PodContainer {
  readonly name: string;
  /** Undefined unless it runs. Wall time. */
  readonly startedAtMs: number | undefined;
  /** Of emptyDirs on the node's disk. */
  readonly emptyDirs: readonly VolumeMount[];
  /** All mount paths. */
  readonly paths: readonly string[];
  /** A running ephemeral container that sees its processes, and so its files. */
  readonly helper: string | undefined;
}

/** What the API server knows of a pod, as far as its directories are concerned. */
export interface PodContainers {
  readonly namespace: string;
  readonly name: string;
  readonly node: string | undefined;
  readonly phase: string;
  /** Process 1 is that of no container: nothing leads from it to the files of one. */
  readonly sharesProcesses: boolean;
  /** Sidecars, then app containers. */
  readonly containers: readonly PodContainer[];
}

/** Reads the object of a pod; what has another form than the API's is left out. */
export function podContainers(pod: JsonObject): PodContainers {
  const [metadata, spec, status] = [objectOf(pod['metadata']), objectOf(pod['spec']), objectOf(pod['status'])];
  const volumes = objectsOf(spec['volumes']).filter(isEmptyDirOnDisk);
  const emptyDirs = new Set(volumes.map(nameOf));
  const sidecars = objectsOf(spec['initContainers']).filter((container) => container['restartPolicy'] === 'Always');
  const startTimes = startTimesOf(status);
  const sharesProcesses = spec['shareProcessNamespace'] === true || spec['hostPID'] === true;
  const ephemeral = objectsOf(spec['ephemeralContainers']).filter((one) => startTimes.has(nameOf(one)));
  const helpers = sharesProcesses ? [] : ephemeral;
  return {
    namespace: textOf(metadata['namespace']) ?? '',
    name: nameOf(metadata),
    node: textOf(spec['nodeName']),
    phase: textOf(status['phase']) ?? 'Unknown',
    sharesProcesses,
    containers: [...sidecars, ...objectsOf(spec['containers'])].map((container): PodContainer => {
      const mounts = objectsOf(container['volumeMounts']).filter(({ mountPath }) => textOf(mountPath)?.startsWith('/'));
      const helper = helpers.find((one) => one['targetContainerName'] === container['name']);
      return {
        name: nameOf(container),
        startedAtMs: startTimes.get(nameOf(container)),
        emptyDirs: mounts
          .filter((mount) => emptyDirs.has(nameOf(mount)) && isWhole(mount))
          .map((mount) => ({ volume: nameOf(mount), path: pathOf(mount) })),
        paths: mounts.map(pathOf),
        helper: helper && nameOf(helper),
      };
    }),
  };
}

function nameOf({ name }: JsonObject): string {
  return textOf(name) ?? '';
}

function pathOf({ mountPath }: JsonObject): string {
  return (textOf(mountPath) ?? '').replace(/(?<=.)\/+$/, '');
}

/** Of others a container sees a part. */
function isWhole({ subPath, subPathExpr }: JsonObject): boolean {
  return (textOf(subPath) ?? textOf(subPathExpr)) === undefined;
}

/** Those in memory are no ephemeral storage. */
function isEmptyDirOnDisk({ emptyDir }: JsonObject): boolean {
  return emptyDir !== undefined && emptyDir !== null && textOf(objectOf(emptyDir)['medium']) === undefined;
}

/** Of the containers that run. */
function startTimesOf(status: JsonObject): ReadonlyMap<string, number> {
  const lists = ['initContainerStatuses', 'containerStatuses', 'ephemeralContainerStatuses'];
  const entries = lists.flatMap((list) =>
    objectsOf(status[list]).flatMap((container): readonly (readonly [string, number])[] => {
      const startedAtMs = timeMsOf(objectOf(objectOf(container['state'])['running'])['startedAt']);
      return startedAtMs === undefined ? [] : [[nameOf(container), startedAtMs]];
    }),
  );
  return new Map(entries);
}
