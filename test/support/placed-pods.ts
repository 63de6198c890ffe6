import { at, type Json, type KubeObject, listAt } from './manifests/documents.js';
import { workloadsOf } from './manifests/policies.js';
import type { RealApiServer } from './real-api-server.js';

export interface PlacedPod {
  readonly name: string;
  readonly address: string;
}

export interface PlacedOptions {
  readonly server: RealApiServer;
  /** Of a release. */
  readonly objects: readonly KubeObject[];
  readonly namespace: string;
  /** Of its pods, which nothing runs. */
  readonly addresses: readonly string[];
}

/** The ready pods of a workload and the endpoints of its Service, as controllers and kubelets would create them. */
export async function placePods(options: PlacedOptions): Promise<readonly PlacedPod[]> {
  const { server, objects, namespace, addresses } = options;
  const [workload] = workloadsOf(objects);
  if (workload === undefined) throw new Error('the release has no workload');
  const { object, podLabels, pod, containers } = workload;
  const suffix = object.kind === 'StatefulSet' ? '' : 'x';
  const pods = addresses.map((address, index) => ({ name: `${object.metadata.name}-${suffix}${index}`, address }));
  const path = `/api/v1/namespaces/${namespace}/pods`;
  for (const { name, address } of pods) {
    const body = { metadata: { name, labels: podLabels }, spec: { ...pod, nodeName: 'node-1' } };
    await server.request(path, { method: 'POST', body });
    const conditions = [{ type: 'Ready', status: 'True' }];
    await server.request(`${path}/${name}/status`, {
      method: 'PATCH',
      headers: { 'Content-Type': 'application/merge-patch+json' },
      body: { status: { phase: 'Running', podIP: address, podIPs: [{ ip: address }], conditions } },
    });
  }
  for (const service of objects.filter(({ kind }) => kind === 'Service')) {
    const selector = Object.entries(at(service, 'spec', 'selector') as Json);
    const selected = selector.every(([key, value]) => podLabels[key] === value) ? pods : [];
    await server.request(`/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices`, {
      method: 'POST',
      body: {
        metadata: { name: service.metadata.name, labels: { 'kubernetes.io/service-name': service.metadata.name } },
        addressType: 'IPv4',
        ports: listAt(service, 'spec', 'ports').map(({ name, targetPort }) => ({
          name,
          port: containers
            .flatMap((container) => listAt(container, 'ports'))
            .find((port) => port['name'] === targetPort)?.['containerPort'],
        })),
        endpoints: selected.map(({ name, address }) => ({
          addresses: [address],
          conditions: { ready: true },
          nodeName: 'node-1',
          targetRef: { kind: 'Pod', namespace, name },
        })),
      },
    });
  }
  return pods;
}
