import { nothingFrozen } from '../../src/facts/node/frozen-statistics.js';
import { nodeLayout } from '../../src/facts/node/node-layout.js';
import { boundPod } from '../../src/facts/node/node-objects.js';
import { createNodeSnapshot } from '../../src/facts/node/node-snapshot.js';
import { podContexts } from '../../src/facts/node/pod-record.js';
import type { ClusterSnapshot } from '../../src/facts/scrape/snapshot.js';
import { WorkloadResolver } from '../../src/facts/workload/workload-resolver.js';
import {
  aContainer,
  aContainerFs,
  aContainerSummary,
  aMount,
  anFsStats,
  aNode,
  aNodeSummary,
  aPod,
  aPodSummary,
  aVolume,
  aVolumeSummary,
} from './builders.js';
import { aClusterSnapshot, aFreshNode } from './snapshot-builders.js';

const mebi = 2 ** 20;

/**
 * A node with pods of the benchmark's shape: two containers with limits and requests, an emptyDir with a size limit, a
 * configMap and a projected token. They belong to one Deployment, which is left out: only series of pods are counted.
 */
export function benchmarkSnapshot(podCount: number, nodeName = 'node-1'): ClusterSnapshot {
  const names = Array.from(
    { length: podCount },
    (_, index) => `checkout-6f6b679f8f-${index.toString(36).padStart(5, 'x')}`,
  );
  const pods = names.map((name) =>
    aPod({
      name,
      nodeName,
      labels: { 'pod-template-hash': '6f6b679f8f' },
      controller: { kind: 'ReplicaSet', name: 'checkout-6f6b679f8f' },
      containers: ['app', 'proxy'].map((container) =>
        aContainer({
          name: container,
          limitBytes: 1024 * mebi,
          requestBytes: 512 * mebi,
          mounts: [aMount('cache'), aMount('config')],
        }),
      ),
      volumes: [
        aVolume({ name: 'cache', sizeLimitBytes: 512 * mebi }),
        aVolume({ name: 'config', type: 'configmap' }),
        aVolume({ name: 'kube-api-access-x7k2p', type: 'projected' }),
      ],
    }),
  );
  const ofNode = { timeMs: 1_000, capacityBytes: 100 * 1024 * mebi, availableBytes: 60 * 1024 * mebi, inodesUsed: 12 };
  const files = anFsStats({ ...ofNode, usedBytes: 123 * mebi });
  const summary = aNodeSummary({
    nodeName,
    nodefs: files,
    pods: names.map((name) =>
      aPodSummary({
        name,
        usedBytes: 789 * mebi,
        inodesUsed: 123,
        containers: ['app', 'proxy'].map((container) => ({
          ...aContainerSummary({ name: container }),
          rootfs: aContainerFs(files),
          logs: aContainerFs(files),
        })),
        volumes: ['cache', 'config', 'kube-api-access-x7k2p'].map((volume) =>
          aVolumeSummary({ ...files, name: volume, usedBytes: 45 * mebi }),
        ),
      }),
    ),
  });
  const podsByName = new Map(pods.map((pod) => [pod.name, pod]));
  const resolver = new WorkloadResolver({ selectors: [], labels: [], controllers: true });
  const [node, layout] = [aNode({ name: nodeName }), nodeLayout(summary)];
  const contextOf = podContexts('measured');
  const snapshot = createNodeSnapshot(
    {
      node,
      summary,
      arrivedAtMs: 0,
      layout,
      configuration: undefined,
      refutedSignals: () => [],
      frozen: nothingFrozen,
      context: contextOf(node, layout),
      derived: new Map(),
    },
    pods.map((pod) => boundPod(pod, resolver)),
    {
      pods: {
        podsOn: () => pods,
        boundNodeNames: () => [nodeName],
        unlistedNamespaces: () => [],
        findPod: (_, name) => podsByName.get(name),
        isDeleted: () => false,
      },
      resolver,
      contextOf,
      scope: { namespaces: [], hasPodSelector: false },
      showsAllPods: false,
      maxUnknownPods: 20,
      growth: () => new Map(),
      ttlMs: 55_000,
    },
  );
  return aClusterSnapshot({ nodes: [aFreshNode(snapshot)], workloads: [] });
}
