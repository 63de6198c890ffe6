/** The JSON of the API server and of the kubelets for the objects of the model. */
import type { KubeletPod, ModelKubelet, ModelNode, ModelPod } from './cluster-model.js';

export type Labels = Readonly<Record<string, string>>;

const iso = (timeMs: number): string => new Date(timeMs).toISOString();

export function nodeObject(node: ModelNode, version: number) {
  const { name, uid, labels, allocatable, enforcesLimits } = node;
  const capacity = enforcesLimits ? { 'ephemeral-storage': '100Gi' } : {};
  return {
    kind: 'Node',
    metadata: { name, uid, labels, creationTimestamp: iso(1e12), resourceVersion: String(version) },
    spec: {},
    status: {
      capacity: { cpu: '4', ...capacity },
      allocatable: { 'ephemeral-storage': allocatable },
      conditions: [
        { type: 'Ready', status: 'True', lastTransitionTime: iso(1e12) },
        { type: 'DiskPressure', status: version % 2 === 0 ? 'True' : 'False' },
      ],
      addresses: [{ type: 'InternalIP', address: '192.0.2.1' }],
      daemonEndpoints: { kubeletEndpoint: { Port: 10_250 } },
      nodeInfo: { operatingSystem: 'linux', kubeletVersion: node.version },
    },
  };
}

interface ContainerSpec {
  readonly name: string;
  readonly limit?: string;
  readonly request?: string;
  readonly mounts?: readonly string[];
}

function container({ name, limit, request, mounts = [] }: ContainerSpec) {
  return {
    name,
    resources: {
      limits: limit === undefined ? {} : { 'ephemeral-storage': limit },
      requests: request === undefined ? {} : { 'ephemeral-storage': request },
    },
    volumeMounts: mounts.map((volume) => ({ name: volume, mountPath: `/${volume}` })),
  };
}

interface Spec {
  readonly containers: readonly ContainerSpec[];
  readonly sidecars?: readonly ContainerSpec[];
  readonly volumes?: readonly object[];
  readonly overhead?: string;
  readonly priority?: number;
}

/** One for each kind of pod that the exporter treats in its own way. */
const shapes: readonly Spec[] = [
  { containers: [{ name: 'app' }] },
  { containers: [{ name: 'app', limit: '100Mi', request: '10Mi' }] },
  {
    containers: [
      { name: 'app', limit: '1Gi', mounts: ['cache'] },
      { name: 'helper', mounts: ['cache'] },
    ],
    volumes: [{ name: 'cache', emptyDir: { sizeLimit: '50Mi' } }],
  },
  {
    containers: [{ name: 'app', limit: '200Mi', mounts: ['memory'] }],
    sidecars: [{ name: 'proxy', limit: '20Mi' }],
    volumes: [{ name: 'memory', emptyDir: { medium: 'Memory', sizeLimit: '10Mi' } }],
  },
  {
    containers: [{ name: 'app', limit: '1', mounts: ['settings', 'cache'] }],
    volumes: [
      { name: 'settings', configMap: { name: 'settings' } },
      { name: 'cache', emptyDir: {} },
    ],
  },
  { containers: [{ name: 'app', limit: '30Mi' }], overhead: '1Mi', priority: 2_000_001_000 },
];

function shapeOf(shape: number): Spec {
  return shapes[shape % shapes.length] ?? { containers: [] };
}

export function podObject(pod: ModelPod, version: number) {
  const { namespace, name, uid, labels, owner, nodeName, staticUid, debuggedCount } = pod;
  const { containers, sidecars = [], volumes = [], overhead, priority } = shapeOf(pod.shape);
  const debuggers = Array.from({ length: debuggedCount }, (_, index) => container({ name: `debugger-${index}` }));
  return {
    kind: 'Pod',
    metadata: {
      namespace,
      name,
      uid,
      labels,
      creationTimestamp: iso(1e12),
      resourceVersion: String(version),
      annotations:
        staticUid === undefined
          ? {}
          : { 'kubernetes.io/config.mirror': staticUid, 'kubernetes.io/config.hash': staticUid },
      ownerReferences: owner === undefined ? [] : [{ ...owner, controller: true }],
    },
    spec: {
      nodeName,
      containers: containers.map(container),
      initContainers: sidecars.map((sidecar) => ({ ...container(sidecar), restartPolicy: 'Always' })),
      ephemeralContainers: debuggers,
      volumes,
      overhead: overhead === undefined ? {} : { 'ephemeral-storage': overhead },
      priority,
    },
    status: statusOf(pod, containers),
  };
}

function statusOf({ phase, startedAtMs, evicted, nodeName }: ModelPod, containers: readonly ContainerSpec[]) {
  const isRunning = phase === 'Running';
  const hasEnded = phase === 'Succeeded' || phase === 'Failed';
  const started = { startedAt: iso(startedAtMs) };
  const finishedAt = iso(evicted?.atMs ?? startedAtMs + 1_000);
  return {
    phase,
    qosClass: 'Burstable',
    ...(nodeName === undefined ? {} : { hostIP: '192.0.2.1', startTime: iso(startedAtMs) }),
    ...(evicted === undefined ? {} : { reason: 'Evicted', message: evicted.message }),
    containerStatuses: containers.map(({ name }) => ({
      name,
      restartCount: 0,
      state: isRunning ? { running: started } : hasEnded ? { terminated: { ...started, finishedAt } } : {},
    })),
  };
}

/** Spread over the sizes around the limits above; the same for the same arguments. */
function bytesOf(text: string, usage: number): number {
  let hash = usage * 7919;
  for (const character of text) hash = (Math.imul(hash, 31) + (character.codePointAt(0) ?? 0)) | 0;
  const unsigned = hash >>> 0;
  return (unsigned % 97) * 2 ** (unsigned % 23);
}

/** Stands for the time of the answer, or that since when the statistics are frozen. */
const measuredNow = '<now>';

function fsStats(usedBytes: number, capacityBytes = 1e11, availableBytes = 4e10) {
  const inodesUsed = usedBytes % 1_000;
  return { time: measuredNow, usedBytes, inodesUsed, capacityBytes, availableBytes, inodes: 1e6, inodesFree: 9e5 };
}

/** A filesystem of its own, for volumes in memory. */
const volumeSizes: Readonly<Record<string, number>> = { memory: 4e9 };

/** Names that no object of the API server can have, as a kubelet may report them. */
const strangeContainers = ['debug "x"', String.raw`back\slash`, '容器'];

interface ListedPod {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly shape: number;
  readonly startedAtMs: number;
}

function totalOf(usedBytes: number, isMissing: boolean) {
  return isMissing ? {} : { 'ephemeral-storage': fsStats(usedBytes) };
}

/** To the kubelet, which takes it for a signed number. */
const negative = 2 ** 63;

function podStats(pod: ListedPod, { usage, withoutTotal, withoutVolumes, withNegativeParts }: ModelKubelet) {
  const { namespace, name, uid } = pod;
  const { containers, volumes = [] } = shapeOf(pod.shape);
  // Pods take turns to change, so that some stay as they were.
  const figure = bytesOf(uid, 0) % 3 === usage % 3 ? usage : 0;
  const of = (part: string): number => bytesOf(`${uid}/${part}`, figure);
  const names = containers.map((each) => each.name);
  const strange = of('strange') % 4;
  const listed = strange < strangeContainers.length ? [...names, strangeContainers[strange] ?? ''] : names;
  const containerStats = listed.map((each) => ({
    name: each,
    rootfs: fsStats(of(`${each}/rootfs`)),
    logs: fsStats(of(`${each}/logs`)),
  }));
  const volumeStats = volumes.map((volume) => {
    const { name: volumeName } = volume as { name: string };
    return { ...fsStats(of(volumeName), volumeSizes[volumeName]), name: volumeName };
  });
  const usedBytes = [...containerStats.flatMap(({ rootfs, logs }) => [rootfs, logs]), ...volumeStats].reduce(
    (sum, stats) => sum + stats.usedBytes,
    4_096,
  );
  const parts = [...containerStats.flatMap(({ rootfs, logs }) => [rootfs, logs]), ...volumeStats];
  const unknown = withNegativeParts.has(uid) ? parts[of('negative') % parts.length] : undefined;
  if (unknown !== undefined) Object.assign(unknown, { usedBytes: negative, inodesUsed: negative });
  const isNegative = withoutTotal.has(uid);
  return {
    podRef: { namespace, name, uid },
    startTime: iso(pod.startedAtMs),
    containers: containerStats,
    ...(withoutVolumes.has(uid) ? {} : { volume: volumeStats }),
    ...totalOf(isNegative ? negative : usedBytes, isNegative && of('total') % 2 === 0),
    io: { psi: { some: { total: of('io') }, full: { total: 0 } } },
  };
}

/** Of the disks of a node: free bytes that are plenty, few, and below every threshold. */
const freeBytes = [4e10, 4e10, 1.1e10, 5e9];

export const layouts = [
  'shared',
  'dedicated',
  'split',
  'unknown',
  'of one size',
  'with a moving number of inodes',
] as const;

function disks({ layout, usage }: ModelKubelet) {
  const nodefs = fsStats(6e10 + usage, 1e11, freeBytes[usage % freeBytes.length]);
  const other = fsStats(9e9 + usage, 5e11, 3e11);
  const third = fsStats(7e9, 2e11, 1e11);
  switch (layouts[layout % layouts.length]) {
    case 'shared':
      return { fs: nodefs, runtime: { imageFs: nodefs, containerFs: nodefs } };
    case 'dedicated':
      return { fs: nodefs, runtime: { imageFs: other, containerFs: other } };
    case 'split':
      return { fs: nodefs, runtime: { imageFs: other, containerFs: third } };
    case 'of one size': {
      // Within the hundredth part of the size while nodefs has plenty.
      const images = fsStats(9e9 + usage, 1e11, 4.05e10);
      return { fs: nodefs, runtime: { imageFs: images, containerFs: images } };
    }
    case 'with a moving number of inodes': {
      const images = { ...nodefs, inodes: nodefs.inodes + 5_000 * (usage % 4) };
      return { fs: nodefs, runtime: { imageFs: images, containerFs: images } };
    }
    case 'unknown':
    case undefined:
      break;
  }
  return { fs: nodefs, runtime: {} };
}

export function summaryText(
  nodeName: string,
  kubelet: ModelKubelet,
  listed: readonly ModelPod[],
  nowMs: number,
): string {
  const { startedAtMs, strangers } = kubelet;
  const bound = listed
    .map(({ staticUid, uid, ...pod }) => ({ ...pod, uid: staticUid ?? uid }))
    .filter(({ uid }) => !kubelet.unlisted.has(uid));
  const pods: readonly ListedPod[] = [...bound, ...strangers];
  const text = JSON.stringify({
    node: {
      nodeName,
      systemContainers: startedAtMs === undefined ? [] : [{ name: 'kubelet', startTime: iso(startedAtMs) }],
      ...disks(kubelet),
      io: { psi: { some: { total: kubelet.usage }, full: { total: 1 } } },
    },
    pods: kubelet.behaviour === 'empty' ? [] : pods.map((pod) => podStats(pod, kubelet)),
  });
  const measured = text.replaceAll(measuredNow, iso(kubelet.frozenAtMs ?? nowMs));
  return kubelet.isNegative
    ? measured.replaceAll('"inodesFree":900000', '"inodesFree":18446744073709551615')
    : measured;
}

const thresholds = ['10%', '20%', '55%', '12Gi'];

export function configurationText({ configuration }: ModelKubelet): string {
  const evictionHard = { 'nodefs.available': thresholds[configuration % thresholds.length], 'nodefs.inodesFree': '5%' };
  return JSON.stringify({
    kubeletconfig: { evictionHard, containerLogMaxSize: `${10 + configuration}Mi`, containerLogMaxFiles: 5 },
  });
}

/** What the kubelet still lists of a pod that was deleted. */
export function ghostOf(pod: ModelPod, untilMs: number): KubeletPod {
  const { namespace, name, uid, staticUid, shape, startedAtMs } = pod;
  return { namespace, name, uid: staticUid ?? uid, shape, startedAtMs, untilMs };
}
