import type { ClusterModel } from './cluster-model.js';
import { mib, still } from './demo-units.js';
import type { PodSpec } from './specs.js';

const namespace = 'ephemeral-storage-exporter';
const name = 'ephemeral-storage-exporter';
const labels = { 'app.kubernetes.io/name': name };

/** Adds the exporter's Service as its manifests do, and its pod: of an exporter that listens on a port of 127.0.0.1. */
export function addExporter(model: ClusterModel, listensOn: number): void {
  const isWorker = (nodeLabels: object = {}): boolean => !('node-role.kubernetes.io/control-plane' in nodeLabels);
  const node = model.nodes.find(({ spec }) => isWorker(spec.labels)) ?? model.nodes[0];
  if (node === undefined) throw new Error('no node for the exporter');
  model.services.add({
    namespace,
    name,
    labels,
    selector: labels,
    ports: [{ name: 'metrics', port: 9797, targetPort: 'metrics' }],
  });
  const pod = exporterPod(node.spec.name);
  const ports = [{ name: 'metrics', containerPort: 9797, listensOn }];
  model.addPod({ ...pod, containers: pod.containers.map((container) => ({ ...container, ports })) });
}

/** Returns the exporter's pod without its port. */
function exporterPod(nodeName: string): PodSpec {
  return {
    namespace,
    name: `${name}-6c9d7f5b8d-x4k2p`,
    nodeName,
    owner: { kind: 'ReplicaSet', name: `${name}-6c9d7f5b8d` },
    labels: { ...labels, 'pod-template-hash': '6c9d7f5b8d' },
    // Never evicted: it is there as long as the exporter runs.
    priority: 2_000_000_000,
    priorityClassName: 'system-cluster-critical',
    containers: [
      {
        name: 'exporter',
        rootfs: still(0),
        logs: { initialBytes: mib / 8, bytesPerSecond: 128, maxBytes: 10 * mib, rotatesToBytes: 5 * mib },
        requestBytes: 32 * mib,
        limitBytes: 128 * mib,
      },
    ],
    volumes: [{ name: 'evictions', source: 'emptyDir', sizeLimitBytes: 32 * mib, content: still(mib / 4) }],
  };
}
