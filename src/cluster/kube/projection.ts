import { RequestError } from '../../lib/base/errors.js';
import { isObject, type JsonObject, objectOf, objectsOf, textOf, timeMsOf } from '../../lib/json/json.js';
import type { Dedupe, Intern } from './dedupe.js';
import { projectEvictionStatus } from './eviction-status.js';
import { projectNodeImages, projectPodImages } from './images.js';
import { type Controller, isOfVirtualCluster, type Labels, type Node, type Pod, type Volume } from './objects.js';
import { maxDetailCount, maxNameLength, othersName } from './pod-bounds.js';
import { projectSpec, storageAmount } from './pod-spec.js';
import { hasOwnName } from './pod-volumes.js';
import { roundUp } from './quantity.js';

/** https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/node-v1/. Throws RequestError, see {@link projectPod}. */
export function projectNode(object: unknown, intern: Intern = (text) => text, dedupe: Dedupe = (value) => value): Node {
  const { metadata, status } = objectOf(object);
  const { conditions, addresses, daemonEndpoints, allocatable, capacity, nodeInfo, images } = objectOf(status);
  const { kubeletVersion, operatingSystem, containerRuntimeVersion } = objectOf(nodeInfo);
  const allocatableBytes = storageAmount(allocatable);
  const capacityBytes = storageAmount(capacity);
  const port = objectOf(objectOf(daemonEndpoints)['kubeletEndpoint'])['Port'];
  const node: Node = {
    ...projectMetadata('node', objectOf(metadata), intern),
    ready: objectsOf(conditions).some(({ type, status }) => type === 'Ready' && status === 'True'),
    readyChangedAtMs: timeMsOf(objectsOf(conditions).find(({ type }) => type === 'Ready')?.['lastTransitionTime']),
    addresses: objectsOf(addresses).flatMap((address) => projectAddress(address, intern)),
    kubeletPort: isPort(port) ? port : undefined,
    capacityBytes: capacityBytes && roundUp(capacityBytes),
    allocatableBytes: allocatableBytes && roundUp(allocatableBytes),
    kubeletVersion: interned(kubeletVersion, intern),
    operatingSystem: interned(operatingSystem, intern),
    enforcesStorageLimits: !isObject(capacity) || capacityBytes !== undefined,
    diskPressure: conditionOf(conditions, 'DiskPressure'),
    containerRuntime: interned(containerRuntimeVersion, intern),
    images: projectNodeImages(images, dedupe),
  };
  return isOfVirtualCluster(node.labels) ? { ...node, ...inventedFields } : node;
}

/** What a virtual cluster makes up is not known. */
const inventedFields: Partial<Node> = {
  capacityBytes: undefined,
  allocatableBytes: undefined,
  kubeletVersion: undefined,
  enforcesStorageLimits: true,
  diskPressure: undefined,
  containerRuntime: undefined,
  images: [],
};

/** Undefined without the condition, or with the status `Unknown`. */
function conditionOf(conditions: unknown, name: string): boolean | undefined {
  const status = objectsOf(conditions).find(({ type }) => type === name)?.['status'];
  return status === 'True' || (status === 'False' ? false : undefined);
}

/** 0 until the kubelet has reported it. */
function isPort(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 && value <= 65_535;
}

function projectAddress({ type, address }: JsonObject, intern: Intern): Node['addresses'] {
  const text = textOf(address);
  return text === undefined ? [] : [{ type: intern(textOf(type) ?? ''), address: text }];
}

/**
 * A pod from the API server's JSON; list items have neither `kind` nor `apiVersion`. Parts that are missing or of a
 * wrong type read as absent; without a name, UID or resource version it throws RequestError with reason `decode`.
 * Parts that many pods have alike go through `dedupe`.
 * https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/
 */
export function projectPod(object: unknown, intern: Intern = (text) => text, dedupe: Dedupe = (value) => value): Pod {
  const { metadata, spec, status } = objectOf(object);
  const meta = objectOf(metadata);
  const { nodeName, overhead, priority, priorityClassName, resources } = objectOf(spec);
  const { phase, qosClass, hostIP, startTime } = objectOf(status);
  const { uid, name, resourceVersion, labels } = projectMetadata('pod', meta, intern);
  const { isStatic, kubeletUid } = projectStaticPod(meta, uid);
  const { initContainerStatuses, containerStatuses, ephemeralContainerStatuses } = objectOf(status);
  const statuses = [initContainerStatuses, containerStatuses, ephemeralContainerStatuses].flatMap(objectsOf);
  const { runningSinceMs, runningContainerCount } = projectRunning(objectOf(status), statuses);
  const { runs, runsChangedAtMs } = projectRuns(statuses, dedupe);
  const labelCount = Object.keys(objectOf(meta['labels'])).length;
  const { containers, volumes, rest } = projectSpec(objectOf(spec), Math.max(0, labelCount - maxDetailCount), intern);
  // Without a spread, which costs as much time as all the rest, and memory for properties that may be added.
  return {
    uid,
    name,
    resourceVersion,
    labels: dedupe(labels),
    isStatic,
    kubeletUid,
    namespace: intern(textOf(meta['namespace']) ?? ''),
    nodeName: interned(nodeName, intern),
    phase: intern(textOf(phase) ?? ''),
    qosClass: interned(qosClass, intern),
    hostIp: interned(hostIP, intern),
    priorityClass: interned(priorityClassName, intern),
    startTimeMs: timeMsOf(startTime),
    runningSinceMs,
    runningContainerCount,
    runs,
    runsChangedAtMs,
    images: projectPodImages(objectOf(spec), statuses, { intern, dedupe }),
    controller: projectController(meta, intern, dedupe),
    containers: dedupe(containers),
    volumes: sharedVolumes(volumes, dedupe),
    rest: rest && dedupe(rest),
    overheadBytes: storageAmount(overhead) ?? 0,
    priority: typeof priority === 'number' ? priority : 0,
    hasPodLevelResources: hasPodLevelResources(resources),
    eviction: projectEvictionStatus(objectOf(status)),
  };
}

function projectMetadata(
  kind: string,
  meta: JsonObject,
  intern: Intern,
): Pick<Pod, 'uid' | 'name' | 'resourceVersion' | 'labels'> {
  const required = (field: string): string => {
    const text = textOf(meta[field]);
    if (text !== undefined) return text;
    const name = [meta['namespace'], meta['name']].filter((part) => typeof part === 'string').join('/');
    throw new RequestError('decode', `${kind} ${name || 'without a name'}: metadata.${field} is missing`);
  };
  return {
    uid: required('uid'),
    name: required('name'),
    resourceVersion: required('resourceVersion'),
    labels: projectLabels(meta['labels'], intern, kind === 'pod' ? maxDetailCount : undefined),
  };
}

/**
 * The first ones, which the API server sorts by key. Own properties only, `__proto__` included: `fromEntries` defines them,
 * an assignment would not.
 */
function projectLabels(labels: unknown, intern: Intern, maxCount?: number): Labels {
  const entries = Object.entries(objectOf(labels)).slice(0, maxCount);
  return Object.fromEntries(
    entries.flatMap(([key, value]) => (typeof value === 'string' ? [[intern(key), intern(value)]] : [])),
  );
}

/**
 * The kubelet takes a pod for the mirror of a static one when it carries `config.mirror`, and reports the static pod,
 * whose UID is the hash. `config.hash` alone is no proof: it stays behind when a static pod's manifest is copied into
 * an ordinary pod, which the kubelet reports under its API UID. The owner reference to the node is no proof either:
 * the kubelet does not ask for it, and old ones do not write it.
 * https://kubernetes.io/docs/reference/labels-annotations-taints/#kubernetes-io-config-mirror
 */
function projectStaticPod(meta: JsonObject, uid: string): Pick<Pod, 'isStatic' | 'kubeletUid'> {
  const annotations = objectOf(meta['annotations']);
  const isStatic = typeof annotations['kubernetes.io/config.mirror'] === 'string';
  const hash = nameOf(annotations['kubernetes.io/config.hash']);
  return { isStatic, kubeletUid: isStatic ? (hash ?? uid) : uid };
}

/** Of the kinds whose names say what owns them. */
const apiGroups: ReadonlyMap<string, string> = new Map([
  ['ReplicaSet', 'apps'],
  ['Job', 'batch'],
  ['ReplicationController', ''],
]);

function isForeign(kind: string, apiVersion: string | undefined): boolean {
  const group = apiVersion?.replace(/\/?[^/]*$/, '');
  return group !== undefined && (apiGroups.get(kind) ?? group) !== group;
}

function projectController(meta: JsonObject, intern: Intern, dedupe: Dedupe): Controller | undefined {
  const owner = objectsOf(meta['ownerReferences']).find(({ controller }) => controller === true) ?? {};
  const [kind, name, apiVersion] = [owner['kind'], owner['name'], owner['apiVersion']].map(nameOf);
  if (kind === undefined || name === undefined) return undefined;
  if (isForeign(kind, apiVersion))
    return dedupe<Controller>({ kind: intern(kind), name: intern(name), isForeign: true });
  const config = kind === 'ReplicationController' ? deploymentConfigOf(name, meta) : undefined;
  return dedupe({ kind: intern(config === undefined ? kind : 'DeploymentConfig'), name: intern(config ?? name) });
}

/** OpenShift names it in each of its pods, and names its ReplicationControllers after it and a number. */
function deploymentConfigOf(replicationController: string, { annotations, labels }: JsonObject): string | undefined {
  const names = [objectOf(annotations)['openshift.io/deployment-config.name'], objectOf(labels)['deploymentconfig']];
  const [, configName] = /^(.+)-\d+$/.exec(replicationController) ?? [];
  return names.includes(configName) ? configName : undefined;
}

/** Only these can be set for a pod as a whole: an entry for ephemeral storage changes nothing. */
function hasPodLevelResources(resources: unknown): boolean {
  const { limits, requests } = objectOf(resources);
  const names = [...Object.keys(objectOf(limits)), ...Object.keys(objectOf(requests))];
  return names.some((name) => name === 'cpu' || name === 'memory' || name.startsWith('hugepages-'));
}

function sharedVolumes(volumes: readonly Volume[], dedupe: Dedupe): readonly Volume[] {
  if (!volumes.some(({ type }) => hasOwnName(type))) return dedupe(volumes);
  return volumes.map((volume) => (hasOwnName(volume.type) ? volume : dedupe(volume)));
}

/**
 * Containers of all kinds count, also in phase Pending: an init container may run for hours, and the kubelet reports its
 * storage. A status without any container status (some virtual kubelets write none) is taken by its phase.
 */
function projectRunning(
  { phase, startTime }: JsonObject,
  statuses: readonly JsonObject[],
): Pick<Pod, 'runningSinceMs' | 'runningContainerCount'> {
  const startTimeMs = timeMsOf(startTime);
  if (phase !== 'Running' && phase !== 'Pending') return { runningSinceMs: undefined, runningContainerCount: 0 };
  if (statuses.length === 0) {
    return { runningSinceMs: phase === 'Running' ? startTimeMs : undefined, runningContainerCount: 0 };
  }
  const running = statuses.map(({ state }) => objectOf(state)['running']).filter(isObject);
  const startedAtMs = running.flatMap(({ startedAt }) => timeMsOf(startedAt) ?? startTimeMs ?? []);
  return {
    runningSinceMs: startedAtMs.length === 0 ? undefined : Math.min(...startedAtMs),
    runningContainerCount: running.length,
  };
}

/** Alike in most pods: only restarts tell the runs of a container apart. */
function projectRuns(statuses: readonly JsonObject[], dedupe: Dedupe): Pick<Pod, 'runs' | 'runsChangedAtMs'> {
  const runs = statuses
    .slice(0, maxDetailCount)
    .filter(isRunning)
    .map(({ name, restartCount }) => `${textOf(name) ?? ''}#${Number(restartCount ?? 0)}`);
  const others = statuses.slice(maxDetailCount);
  const otherCount = others.filter(isRunning).length;
  // The time changes with each of them.
  if (otherCount > 0) runs.push(`${othersName}#${otherCount}@${lastChangeMs(others) ?? 0}`);
  return { runs: dedupe(runs), runsChangedAtMs: lastChangeMs(statuses) };
}

function isRunning({ state }: JsonObject): boolean {
  return isObject(objectOf(state)['running']);
}

/** When one of the containers last started or ended; undefined before the first. */
function lastChangeMs(statuses: readonly JsonObject[]): number | undefined {
  const times = statuses.flatMap(({ state, lastState }) => [
    timeMsOf(objectOf(objectOf(state)['running'])['startedAt']) ?? [],
    timeMsOf(objectOf(objectOf(state)['terminated'])['finishedAt']) ?? [],
    timeMsOf(objectOf(objectOf(lastState)['terminated'])['finishedAt']) ?? [],
  ]);
  return times.flat().reduce<number | undefined>((last, time) => Math.max(last ?? time, time), undefined);
}

/** A name of another object, which the API server does not check; one that is longer than names can be reads as absent. */
function nameOf(value: unknown): string | undefined {
  const text = textOf(value);
  return text === undefined || text.length > maxNameLength ? undefined : text;
}

function interned(value: unknown, intern: Intern): string | undefined {
  const text = textOf(value);
  return text === undefined ? undefined : intern(text);
}
