import { addEvictions, tightNode } from './demo-evictions.js';
import { gib, imagesOf, kib, mib, minuteMs, still } from './demo-units.js';
import type { Growth } from './growth.js';
import { placedNode, placementOn } from './placement.js';
import type { Scenario, ScenarioContext } from './scenario.js';
import {
  addCronJob,
  addDaemonSet,
  addDeployment,
  addStatefulSet,
  type CronJobSpec,
  type DeploymentSpec,
  type WorkloadSpec,
} from './simulated-workloads.js';
import type { ContainerSpec, NodeSpec, PodSpec, VolumeSpec } from './specs.js';

const configMap = (name: string): VolumeSpec => ({ name, source: 'configMap', content: still(8 * kib) });
const serviceAccount: VolumeSpec = { name: 'kube-api-access', source: 'projected', content: still(4 * kib) };

/** Logs of a service that logs a lot: rotated at 10 MiB, with four old files. */
const rotatedLogs: Growth = {
  initialBytes: 12 * mib,
  bytesPerSecond: 256 * kib,
  maxBytes: 50 * mib,
  rotatesToBytes: 40 * mib,
};

const shopFrontend: ContainerSpec = {
  name: 'nginx',
  rootfs: still(200 * kib),
  logs: rotatedLogs,
  limitBytes: 512 * mib,
  requestBytes: 128 * mib,
};

/** Its emptyDir is near its size limit. */
const searchIndex: ContainerSpec = {
  name: 'indexer',
  rootfs: still(2 * mib),
  logs: { initialBytes: 64 * kib, bytesPerSecond: 2 * kib },
  limitBytes: 3 * gib,
  requestBytes: gib,
};

const indexVolume: VolumeSpec = {
  name: 'index',
  source: 'emptyDir',
  sizeLimitBytes: 2 * gib,
  content: still(1700 * mib),
};

const logAgent: ContainerSpec = {
  name: 'agent',
  rootfs: still(40 * kib),
  logs: { initialBytes: 4 * mib, bytesPerSecond: 8 * kib, maxBytes: 20 * mib, rotatesToBytes: 10 * mib },
};

const backup: ContainerSpec = {
  name: 'dump',
  rootfs: { initialBytes: 16 * mib, bytesPerSecond: 12 * mib },
  logs: { initialBytes: 4 * kib, bytesPerSecond: kib },
  limitBytes: 2 * gib,
};

/** A container that fills its writable layer within seconds until it is near its limit, beside one without a limit. */
const thumbnailer: readonly ContainerSpec[] = [
  {
    name: 'worker',
    rootfs: { initialBytes: 350 * mib, bytesPerSecond: 14 * mib, maxBytes: 490 * mib },
    logs: { initialBytes: mib, bytesPerSecond: kib, maxBytes: 10 * mib, rotatesToBytes: 5 * mib },
    limitBytes: 512 * mib,
    requestBytes: 256 * mib,
  },
  { name: 'metrics', rootfs: still(64 * kib), logs: { initialBytes: 128 * kib, bytesPerSecond: 256, maxBytes: mib } },
];

const checkout: readonly ContainerSpec[] = [
  { name: 'migrate', kind: 'init', rootfs: still(4 * mib), logs: still(16 * kib) },
  {
    name: 'proxy',
    kind: 'sidecar',
    rootfs: still(mib),
    logs: { initialBytes: 2 * mib, bytesPerSecond: 32 * kib, maxBytes: 30 * mib, rotatesToBytes: 20 * mib },
    limitBytes: 128 * mib,
    mounts: ['config'],
  },
  { name: 'api', rootfs: still(3 * mib), logs: rotatedLogs, limitBytes: 256 * mib },
];

const checkoutVolumes: readonly VolumeSpec[] = [
  configMap('config'),
  /** Full after half a minute: writes fail, and nobody is evicted. */
  {
    name: 'cache',
    source: 'emptyDir',
    medium: 'Memory',
    sizeLimitBytes: 32 * mib,
    content: { initialBytes: 8 * mib, bytesPerSecond: mib },
  },
  { name: 'credentials', source: 'secret', content: still(4 * kib) },
  { name: 'podinfo', source: 'downwardAPI', content: still(4 * kib) },
  serviceAccount,
];

/** Pods without a workload controller. */
const singlePods: readonly PodSpec[] = [
  {
    namespace: 'kube-system',
    name: 'kube-apiserver-node-1',
    nodeName: 'node-1',
    isStatic: true,
    priority: 2_000_001_000,
    priorityClassName: 'system-node-critical',
    labels: { component: 'kube-apiserver', tier: 'control-plane' },
    // Above its limit, for which no static pod is evicted.
    containers: [{ name: 'kube-apiserver', rootfs: still(24 * kib), logs: rotatedLogs, limitBytes: 32 * mib }],
    volumes: [{ name: 'certs', source: 'hostPath', content: still(0) }],
  },
  {
    namespace: 'sandbox',
    name: 'debug-shell',
    nodeName: 'node-5',
    labels: { 'app.kubernetes.io/name': 'debug-shell' },
    containers: [
      { name: 'shell', rootfs: { initialBytes: 100 * mib, bytesPerSecond: 64 * kib, maxBytes: gib }, logs: still(0) },
    ],
    volumes: [{ name: 'repository', source: 'emptyDir', content: still(24 * mib) }, serviceAccount],
  },
];

/** Without the compressed copies of the images. */
const systemBytes = 5.6 * gib;

const demoNodes: readonly NodeSpec[] = [
  {
    name: 'node-1',
    labels: { 'node-role.kubernetes.io/control-plane': '' },
    images: imagesOf(['kube-apiserver', 'nginx', 'profile'], 6 * gib),
    systemBytes,
  },
  tightNode,
  { name: 'node-3', labels: { pool: 'general' }, images: imagesOf(['worker', 'nginx'], 6 * gib), systemBytes },
  {
    name: 'node-4',
    labels: { pool: 'storage' },
    capacityBytes: 60 * gib,
    imageFsCapacityBytes: 40 * gib,
    images: imagesOf(['indexer', 'transcode', 'api'], 6 * gib),
  },
  {
    name: 'node-5',
    labels: { pool: 'storage' },
    capacityBytes: 20 * gib,
    images: imagesOf(['indexer', 'worker'], 4 * gib),
    systemBytes: 4.4 * gib,
  },
];

const frontend: DeploymentSpec = {
  namespace: 'shop',
  name: 'frontend',
  nodeNames: ['node-1', 'node-2', 'node-3'],
  containers: [shopFrontend],
  volumes: [configMap('nginx-conf'), { name: 'tmp', source: 'emptyDir', content: still(mib) }, serviceAccount],
  replaceEveryMs: 7 * minuteMs,
};

const deployments: readonly DeploymentSpec[] = [
  frontend,
  {
    namespace: 'shop',
    name: 'checkout',
    nodeNames: ['node-2', 'node-4'],
    containers: checkout,
    volumes: checkoutVolumes,
  },
  { namespace: 'media', name: 'thumbnailer', nodeNames: ['node-3', 'node-5'], containers: thumbnailer },
  {
    namespace: 'media',
    name: 'transcoder',
    nodeNames: ['node-4'],
    containers: [
      {
        name: 'transcode',
        rootfs: { initialBytes: 8 * mib, bytesPerSecond: 4 * mib },
        logs: still(64 * kib),
        crashLoop: { runMs: 90_000, backoffMs: 40_000 },
      },
    ],
  },
];

const searchCluster: WorkloadSpec = {
  namespace: 'search',
  name: 'index',
  nodeNames: ['node-4', 'node-5'],
  containers: [searchIndex],
  volumes: [indexVolume, { name: 'data', source: 'persistentVolumeClaim', content: still(5 * gib) }, serviceAccount],
};

const logAgents: Omit<WorkloadSpec, 'nodeNames'> = {
  namespace: 'kube-system',
  name: 'log-agent',
  containers: [logAgent],
  volumes: [
    { name: 'varlog', source: 'hostPath', content: still(0) },
    {
      name: 'buffer',
      source: 'emptyDir',
      content: { initialBytes: mib, bytesPerSecond: 16 * kib, maxBytes: 64 * mib, rotatesToBytes: 0 },
    },
    serviceAccount,
  ],
};

const backups: CronJobSpec = {
  namespace: 'ops',
  name: 'backup',
  nodeNames: ['node-2', 'node-3'],
  containers: [backup],
  volumes: [{ name: 'staging', source: 'emptyDir', content: { initialBytes: 0, bytesPerSecond: 5 * mib } }],
  everyMs: 4 * minuteMs,
  runMs: 90_000,
  keptCount: 2,
};

function populate(context: ScenarioContext, nodeNames: readonly string[]): void {
  const placed = placementOn(nodeNames.length);
  const further = nodeNames.slice(demoNodes.length);
  for (const pod of singlePods) {
    context.model.addPod({ ...pod, nodeName: placedNode(pod.nodeName ?? '', nodeNames.length) });
  }
  for (const deployment of deployments) {
    const { nodeNames: own, ...spec } = placed(deployment);
    addDeployment(context, { ...spec, nodeNames: deployment === frontend ? [...own, ...further] : own });
  }
  addStatefulSet(context, placed(searchCluster));
  addDaemonSet(context, { ...logAgents, nodeNames });
  addCronJob(context, placed(backups));
  addEvictions(context, placed);
}

const defaultNodeCount = 5;

/**
 * A bit of everything, on two nodes or more, with evictions every few minutes. node-2 has little disk space, and comes under
 * pressure every 20 minutes; node-4 has a separate filesystem for images, and the kubelet of node-5 fails for one minute in
 * every five: with fewer nodes, that of the one in its place.
 */
export function mixedScenario(nodeCount: number): Scenario {
  const further = Array.from({ length: Math.max(0, nodeCount - demoNodes.length) }, (_, index): NodeSpec => ({
    name: `node-${demoNodes.length + index + 1}`,
    labels: { pool: 'general' },
    images: imagesOf(['nginx', 'agent'], 6 * gib),
    systemBytes,
  }));
  const nodes = [...demoNodes.slice(0, nodeCount), ...further];
  const nodeNames = nodes.map(({ name }) => name);
  const failing = placedNode('node-5', nodeCount);
  return {
    nodes,
    populate: (context) => {
      populate(context, nodeNames);
    },
    faultSchedules: [{ nodeName: failing, fault: 'status:500', everyMs: 5 * minuteMs, lastsMs: minuteMs }],
    highlights: { nodeName: tightNode.name, namespace: 'media', deployment: 'thumbnailer' },
  };
}

/** The cluster of `demo` and `simulate` unless they are told otherwise. */
export const demoScenario = mixedScenario(defaultNodeCount);
